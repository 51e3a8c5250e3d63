// SPDX-License-Identifier: GPL-2.0-or-later
// Measures the cost of one break poll on this host, with nothing attached:
// polls of an idle stream socket on loopback, through this libc, between
// stretches of work as long as a server's. A poll in a closed loop is too
// cheap: after a server's interval the kernel's code and branches are no longer
// in the caches, and the poll in its turn evicts those of the work (work.c).
//
// usage: polltrace-calibrate [-r ROUNDS] [-s tcp|tcp6|unix] [-t] [-i]
// [INTERVAL_US...]
//   INTERVAL_US  microseconds of work between two polls (10; 0 to 100000)
//   -r       rounds, each of every interval (200; 1 to 100000)
//   -s       the kind of socket (tcp)
//   -t       in a process with a second thread, where libc takes a longer path
//   -c CALLS system calls of a check, separated by commas, in the place of the
//            poll (check_calls.h); with -i in the place of its epoll_wait
//   -i       whole checks by a timer, as PostgreSQL makes them, not polls: the
//            interrupt, the signal, epoll_wait and the timer (timer_check.h)
// Prints one line of JSON: for each interval `poll_ns`, nanoseconds of a poll
// (with -c and -i: of a whole check), by memory footprint of the work and by
// round; and `waited`, the share of its own time (0 to 1) that it waited for a
// processor which others had. It is the same for all that are measured
// together.
// Exit codes: 0 done, 2 wrong usage, 4 this host has no such socket.
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "calibration/check_calls.h"
#include "calibration/idle_socket.h"
#include "calibration/timer_check.h"
#include "calibration/work.h"

// Shorter than the usual disturbance: a virtual machine changes its speed by a
// quarter within a few milliseconds.
#define ROUND_NS 100000.0
#define MAX_INTERVALS 16
#define MAX_TIMED 64 // polls timed one by one in a round

// Within the first-level cache, the second, and beyond.
static const unsigned footprints[] = {4 * 1024, 64 * 1024, WORDS};
#define FOOTPRINTS (sizeof footprints / sizeof *footprints)

static double clock_ns(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

// Cheap, around a single poll.
static double now_ns(void) {
    return clock_ns(CLOCK_MONOTONIC);
}

// A system call, around a long stretch: excludes the time of other processes.
static double cpu_ns(void) {
    return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static double poll_once_ns(struct pollfd *socket) {
    double began = now_ns();
    if (socket)
        poll(socket, 1, 0);
    return now_ns() - began;
}

static double calls_ns(struct pollfd *socket) {
    double began = now_ns();
    (void)socket;
    check_calls_make();
    return now_ns() - began;
}

// The timed function: nanoseconds of a check, negative where unknown.
static double (*check_ns)(struct pollfd *) = poll_once_ns;

static double stretch_ns(unsigned repeats, unsigned steps, unsigned words,
                         struct pollfd *socket) {
    double began = cpu_ns();
    for (unsigned i = 0; i < repeats; i++) {
        work(steps, words);
        deep_poll(socket);
    }
    return cpu_ns() - began;
}

// A timer that expires sooner than its handler ends leaves no time for work.
#define SHORTEST_TIMER_US 100

// A check by the timer has to wait until the work is over, and nothing else may
// run in between: this is how often that is tried.
#define MOST_TRIES 100

static double after_work_ns(double interval_ns, unsigned steps, unsigned words,
                            struct pollfd *socket) {
    for (int i = 0; i < MOST_TRIES; i++) {
        double took;

        if (socket && check_ns == timer_check_ns)
            timer_check_set(interval_ns);
        work(steps, words);
        took = socket ? check_ns(socket) : poll_once_ns(NULL);
        if (took >= 0)
            return took;
    }
    fprintf(stderr,
            "polltrace-calibrate: the host is too busy to time a check by a "
            "timer: other processes interrupted each\n");
    exit(4);
}

// The time between two readings of the clock after the work, with a check or
// nothing between them: the median, because an interrupt may fall in one.
static double timed_ns(double interval_ns, unsigned repeats, unsigned steps,
                       unsigned words, struct pollfd *socket) {
    double took[MAX_TIMED];
    unsigned n = repeats < MAX_TIMED ? repeats : MAX_TIMED;
    for (unsigned i = 0; i < n; i++) {
        double took_now = after_work_ns(interval_ns, steps, words, socket);
        unsigned place = i;
        for (; place > 0 && took[place - 1] > took_now; place--)
            took[place] = took[place - 1];
        took[place] = took_now;
    }
    return took[n / 2];
}

// How many steps of work take `interval_ns`, the frames around a poll included.
static unsigned steps_for(double interval_ns, unsigned words) {
    const unsigned many = 3000;
    double fastest = 1e18;
    for (int i = 0; i < 20; i++) {
        double took = stretch_ns(1, many, words, NULL);
        if (took < fastest)
            fastest = took;
    }
    return (unsigned)(interval_ns * many / fastest);
}

struct interval {
    double ns;
    unsigned steps[FOOTPRINTS];
    double *poll; // by round
};

static void measure(struct interval *interval, long round,
                    struct pollfd *socket) {
    unsigned words = footprints[round % (long)FOOTPRINTS];
    unsigned steps = interval->steps[round % (long)FOOTPRINTS];
    unsigned repeats = 1 + (unsigned)(ROUND_NS / (interval->ns + 500));
    bool turned = round / (long)FOOTPRINTS % 2;
    // In alternating order, so that a machine that gets slower favours neither.
    double empty =
        turned ? timed_ns(interval->ns, repeats, steps, words, NULL) : 0;
    interval->poll[round] =
        timed_ns(interval->ns, repeats, steps, words, socket);
    if (!turned)
        empty = timed_ns(interval->ns, repeats, steps, words, NULL);
    interval->poll[round] -= empty;
}

static void print_values(const double *value, long rounds) {
    printf(",\"poll_ns\":[");
    for (size_t f = 0; f < FOOTPRINTS; f++) {
        printf("%s[", f ? "," : "");
        for (long i = (long)f; i < rounds; i += (long)FOOTPRINTS)
            printf("%s%.1f", i > (long)f ? "," : "", value[i]);
        printf("]");
    }
    printf("]");
}

// 0 where the kernel has no schedstat.
static double waited(void) {
    unsigned long long ran = 0, queued = 0;
    FILE *file = fopen("/proc/self/schedstat", "re");

    if (!file)
        return 0;
    if (fscanf(file, "%llu %llu", &ran, &queued) != 2)
        ran = queued = 0;
    fclose(file);
    return ran ? (double)queued / (double)(ran + queued) : 0;
}

static long number(const char *text, long low, long high) {
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno || end == text || *end || value < low || value > high) {
        fprintf(
            stderr,
            "polltrace-calibrate: %s is not a whole number from %ld to %ld\n",
            text, low, high);
        exit(2);
    }
    return value;
}

static void *sleep_for_good(void *unused) {
    (void)unused;
    pause();
    return NULL;
}

int main(int argc, char **argv) {
    long rounds = 200;
    const char *kind = "tcp", *calls = "epoll_wait";
    struct interval interval[MAX_INTERVALS] = {{.ns = 1e4}};
    int intervals = 0, option;
    bool by_calls = false;
    cpu_set_t own_cpu;
    pthread_t thread;

    while ((option = getopt(argc, argv, "r:s:tic:")) != -1) {
        if (option == 'r')
            rounds = number(optarg, (long)FOOTPRINTS, 100000);
        else if (option == 's')
            kind = optarg;
        else if (option == 'i')
            check_ns = timer_check_ns;
        else if (option == 'c') {
            calls = optarg;
            by_calls = true;
        } else if (option == 't')
            pthread_create(&thread, NULL, sleep_for_good, NULL);
        else
            return 2;
    }
    if (by_calls && check_ns == poll_once_ns)
        check_ns = calls_ns;
    long shortest = check_ns == timer_check_ns ? SHORTEST_TIMER_US : 0;
    for (; optind < argc && intervals < MAX_INTERVALS; optind++)
        interval[intervals++].ns =
            1e3 * (double)number(argv[optind], shortest, 100000);
    if (!intervals)
        intervals = 1;
    struct pollfd socket = {.fd = idle_socket(kind), .events = POLLIN};
    if (socket.fd < 0) {
        fprintf(stderr, "polltrace-calibrate: no %s socket on loopback: %s\n",
                kind, strerror(errno));
        return 4;
    }
    if (!check_calls_prepare(calls, socket.fd)) {
        fprintf(stderr, "polltrace-calibrate: -c %s: %s\n", calls,
                errno == EINVAL ? "no list of calls of a check"
                                : strerror(errno));
        return errno == EINVAL ? 2 : 4;
    }
    if (check_ns == timer_check_ns && !timer_checks_prepare()) {
        fprintf(stderr, "polltrace-calibrate: no handler of SIGALRM: %s\n",
                strerror(errno));
        return 4;
    }
    CPU_ZERO(&own_cpu);
    CPU_SET((unsigned)sched_getcpu(), &own_cpu);
    sched_setaffinity(0, sizeof own_cpu, &own_cpu);
    work_prepare();
    for (int i = 0; i < intervals; i++) {
        for (size_t f = 0; f < FOOTPRINTS; f++)
            interval[i].steps[f] = steps_for(interval[i].ns, footprints[f]);
        interval[i].poll = calloc((size_t)rounds, sizeof(double));
        if (!interval[i].poll)
            return 4;
    }
    for (long round = 0; round < rounds; round++)
        for (int i = 0; i < intervals; i++)
            measure(&interval[i], round, &socket);
    double share = waited();
    printf("[");
    for (int i = 0; i < intervals; i++) {
        printf("%s{\"interval_us\":%.0f", i ? "," : "", interval[i].ns / 1e3);
        print_values(interval[i].poll, rounds);
        printf(",\"waited\":%.3f}", share);
    }
    printf("]\n");
    return 0;
}
