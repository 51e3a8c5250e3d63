// SPDX-License-Identifier: GPL-2.0-or-later
// What one break poll costs on this host, with nothing attached: polls of an
// idle stream socket on loopback, through this libc, in between stretches of
// work that take as long as the server's own. A poll in a closed loop would be
// too cheap: at a server's pace the kernel's code and branches have gone cold,
// and those of the work go cold in the poll (work.c).
//
// usage: polltrace-price [-r ROUNDS] [-s tcp|tcp6|unix] [-t] [PACE_US...]
//   PACE_US  microseconds of work between two polls (10; 0 to 100000)
//   -r       rounds, each of every pace (200; 1 to 100000)
//   -s       the kind of socket (tcp)
//   -t       in a process that has a second thread: libc's longer way
// Prints one line of JSON. For each pace, by round and by how much memory the
// work goes over: `whole_ns`, the difference that a poll makes to the work
// (null where the work is too long to tell); `poll_ns`, the poll by itself.
// Exit codes: 0 done, 2 wrong usage, 4 this host has no such socket.
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "idle_socket.h"
#include "work.h"

// Shorter than what disturbs a machine: a virtual one changes its speed by a
// quarter within a few milliseconds.
#define ROUND_NS 100000.0
// Work of a longer pace varies by more than a poll takes.
#define LONGEST_WHOLE_NS 200000.0
#define MOST_PACES 16
#define MOST_TIMED 64 // polls timed one by one in a round

// Within the first-level cache, the second, and beyond.
static const unsigned footprints[] = {4 * 1024, 64 * 1024, WORDS};
#define FOOTPRINTS (sizeof footprints / sizeof *footprints)

static double clock_ns(clockid_t clock) {
    struct timespec at;
    clock_gettime(clock, &at);
    return (double)at.tv_sec * 1e9 + (double)at.tv_nsec;
}

// Cheap, around a single poll.
static double now_ns(void) {
    return clock_ns(CLOCK_MONOTONIC);
}

// A system call, around a long stretch: without what other processes took.
static double cpu_ns(void) {
    return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static double stretch_ns(unsigned repeats, unsigned steps, unsigned words,
                         struct pollfd *socket) {
    double began = cpu_ns();
    for (unsigned i = 0; i < repeats; i++) {
        work(steps, words);
        deep_poll(socket);
    }
    return cpu_ns() - began;
}

// What is between two looks at the clock after the work, a poll or nothing:
// the median, for an interrupt may be in one.
static double timed_ns(unsigned repeats, unsigned steps, unsigned words,
                       struct pollfd *socket) {
    double took[MOST_TIMED];
    unsigned n = repeats < MOST_TIMED ? repeats : MOST_TIMED;
    for (unsigned i = 0; i < n; i++) {
        work(steps, words);
        double began = now_ns();
        if (socket)
            poll(socket, 1, 0);
        double took_now = now_ns() - began;
        unsigned at = i;
        for (; at > 0 && took[at - 1] > took_now; at--)
            took[at] = took[at - 1];
        took[at] = took_now;
    }
    return took[n / 2];
}

// How many steps of work take that long, polls' frames included.
static unsigned steps_for(double pace_ns, unsigned words) {
    const unsigned many = 3000;
    double fastest = 1e18;
    for (int i = 0; i < 20; i++) {
        double took = stretch_ns(1, many, words, NULL);
        if (took < fastest)
            fastest = took;
    }
    return (unsigned)(pace_ns * many / fastest);
}

struct pace {
    double ns;
    unsigned steps[FOOTPRINTS];
    double *whole, *poll; // by round
};

static void measure(struct pace *pace, long round, struct pollfd *socket) {
    unsigned words = footprints[round % (long)FOOTPRINTS];
    unsigned steps = pace->steps[round % (long)FOOTPRINTS];
    unsigned repeats = 1 + (unsigned)(ROUND_NS / (pace->ns + 500));
    bool turned = round / (long)FOOTPRINTS % 2;
    // Turn about, so that a machine that gets slower favours neither.
    double empty = turned ? timed_ns(repeats, steps, words, NULL) : 0;
    pace->poll[round] = timed_ns(repeats, steps, words, socket);
    if (!turned)
        empty = timed_ns(repeats, steps, words, NULL);
    pace->poll[round] -= empty;
    pace->whole[round] = NAN;
    if (pace->ns > LONGEST_WHOLE_NS)
        return;
    double without = turned ? 0 : stretch_ns(repeats, steps, words, NULL);
    double with = stretch_ns(repeats, steps, words, socket);
    if (turned)
        without = stretch_ns(repeats, steps, words, NULL);
    pace->whole[round] = (with - without) / repeats;
}

static void print_values(const char *name, const double *value, long rounds) {
    printf(",\"%s\":[", name);
    for (size_t f = 0; f < FOOTPRINTS; f++) {
        printf("%s[", f ? "," : "");
        for (long i = (long)f; i < rounds; i += (long)FOOTPRINTS) {
            const char *comma = i > (long)f ? "," : "";
            if (isnan(value[i]))
                printf("%snull", comma);
            else
                printf("%s%.1f", comma, value[i]);
        }
        printf("]");
    }
    printf("]");
}

static long number(const char *text, long low, long high) {
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno || end == text || *end || value < low || value > high) {
        fprintf(stderr,
                "polltrace-price: %s is not a whole number from %ld to %ld\n",
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
    const char *kind = "tcp";
    struct pace pace[MOST_PACES] = {{.ns = 1e4}};
    int paces = 0, option;
    cpu_set_t here;
    pthread_t thread;

    while ((option = getopt(argc, argv, "r:s:t")) != -1) {
        if (option == 'r')
            rounds = number(optarg, (long)FOOTPRINTS, 100000);
        else if (option == 's')
            kind = optarg;
        else if (option == 't')
            pthread_create(&thread, NULL, sleep_for_good, NULL);
        else
            return 2;
    }
    for (; optind < argc && paces < MOST_PACES; optind++)
        pace[paces++].ns = 1e3 * (double)number(argv[optind], 0, 100000);
    if (!paces)
        paces = 1;
    struct pollfd socket = {.fd = idle_socket(kind), .events = POLLIN};
    if (socket.fd < 0) {
        fprintf(stderr, "polltrace-price: no %s socket on loopback: %s\n", kind,
                strerror(errno));
        return 4;
    }
    CPU_ZERO(&here);
    CPU_SET((unsigned)sched_getcpu(), &here);
    sched_setaffinity(0, sizeof here, &here);
    work_prepare();
    for (int i = 0; i < paces; i++) {
        for (size_t f = 0; f < FOOTPRINTS; f++)
            pace[i].steps[f] = steps_for(pace[i].ns, footprints[f]);
        pace[i].whole = calloc((size_t)rounds, sizeof(double));
        pace[i].poll = calloc((size_t)rounds, sizeof(double));
        if (!pace[i].whole || !pace[i].poll)
            return 4;
    }
    for (long round = 0; round < rounds; round++)
        for (int i = 0; i < paces; i++)
            measure(&pace[i], round, &socket);
    printf("[");
    for (int i = 0; i < paces; i++) {
        printf("%s{\"pace_us\":%.0f", i ? "," : "", pace[i].ns / 1e3);
        print_values("whole_ns", pace[i].whole, rounds);
        print_values("poll_ns", pace[i].poll, rounds);
        printf("}");
    }
    printf("]\n");
    return 0;
}
