// SPDX-License-Identifier: GPL-2.0-or-later
// A process that polls under a storm of signals and counts each of them.
//
// A signal that is not queued may be merged with one that is pending, so each
// is sent only after the last has been counted: a lost one stops its kind for
// good. Real-time signals are queued, so of these every one sent must arrive.
// SIGALRM comes from a timer that fires once and is set again by its handler,
// as PostgreSQL's; SIGCHLD from a child started when the last has been awaited.
//
// Standard output is the process's ID. A line on standard input is answered by
// the counts: alarms, urgents sent and counted, children started and counted,
// real-time signals sent and counted. At the end of input all end.
#define _GNU_SOURCE
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ALARM_US = 1000, REAL_TIME_KINDS = 4, IN_FLIGHT = 8, SENDER_US = 100 };

static struct counts {
    atomic_long alarms, urgents_sent, urgents, children, reaped;
    atomic_long real_times_sent, real_times;
    atomic_bool pause; // the sender sends no more
    atomic_bool paused;
} * counts;

static void set_alarm(void) {
    struct itimerval once = {.it_value = {.tv_usec = ALARM_US}};

    setitimer(ITIMER_REAL, &once, NULL);
}

static void on_signal(int number) {
    if (number == SIGALRM) {
        counts->alarms++;
        set_alarm();
    } else if (number == SIGURG) {
        counts->urgents++;
    } else if (number == SIGCHLD) {
        counts->reaped += waitpid(-1, NULL, WNOHANG) > 0;
    } else {
        counts->real_times++;
    }
}

static void send_signals(pid_t target) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (long turn = 0;; turn++) {
        union sigval value = {.sival_int = (int)turn};
        int number = SIGRTMIN + 1 + (int)(turn % REAL_TIME_KINDS);

        counts->paused = counts->pause;
        if (!counts->pause) {
            if (counts->urgents == counts->urgents_sent) {
                counts->urgents_sent++;
                kill(target, SIGURG);
            }
            // No more than it can count: else it would do nothing but that.
            if (counts->real_times_sent - counts->real_times < IN_FLIGHT &&
                sigqueue(target, number, value) == 0)
                counts->real_times_sent++;
        }
        usleep(SENDER_US);
    }
}

static void poll_for_ever(int fd, int commands) {
    struct pollfd one = {fd, POLLIN, 0};
    struct pollfd command = {commands, POLLIN, 0};
    char line[16];

    for (long turn = 0;; turn++) {
        poll(&one, 1, 0);
        if (turn % 64)
            continue;
        if (counts->children == counts->reaped && !counts->pause) {
            counts->children++;
            if (fork() == 0)
                _exit(0);
        }
        if (poll(&command, 1, 0) != 1)
            continue;
        if (read(commands, line, sizeof line) <= 0)
            exit(0);
        if (line[0] == 'p')
            counts->pause = true;
        if (line[0] == 'c')
            counts->pause = false;
        printf("%d %ld %ld %ld %ld %ld %ld %ld\n", (int)counts->paused,
               (long)counts->alarms, (long)counts->urgents_sent,
               (long)counts->urgents, (long)counts->children,
               (long)counts->reaped, (long)counts->real_times_sent,
               (long)counts->real_times);
    }
}

int main(void) {
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    int ends[2];

    setvbuf(stdout, NULL, _IOLBF, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    counts = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (counts == MAP_FAILED || socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
        return 1;
    sigaction(SIGALRM, &action, NULL);
    sigaction(SIGURG, &action, NULL);
    sigaction(SIGCHLD, &action, NULL);
    for (int kind = 0; kind < REAL_TIME_KINDS; kind++)
        sigaction(SIGRTMIN + 1 + kind, &action, NULL);
    pid_t us = getpid();
    if (fork() == 0)
        send_signals(us);
    set_alarm();
    printf("%d\n", (int)us);
    poll_for_ever(ends[0], 0);
}
