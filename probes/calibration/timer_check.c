// SPDX-License-Identifier: GPL-2.0-or-later
#include "calibration/timer_check.h"

#include "calibration/check_calls.h"

#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define LEAST_LATER 1.1
#define MOST_LATER 16.0
// So many tries may be interrupted by other processes before they are run at
// real-time priority, where that is permitted.
#define MOST_INTERRUPTED 10

static volatile sig_atomic_t due;
static double handled_ns;
static struct itimerval timer;
// How much longer than the work the timer is set, so that the work has ended
// when it expires: on a machine that slows down after that it takes longer. The
// rest is spent waiting, so it shrinks again while all goes well.
static double later = LEAST_LATER;
static long preempted;
static int interrupted;

static double now_ns(void) {
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static long times_preempted(void) {
    struct rusage used;

    getrusage(RUSAGE_THREAD, &used);
    return used.ru_nivcsw;
}

// The processor is everybody's again before the next try, for as long as this
// one took.
static void pause_for(double ns) {
    struct timespec span = {.tv_nsec = ns < 1e8 ? (long)ns : 100000000};

    nanosleep(&span, NULL);
}

// PostgreSQL's handler sets the timer too.
static void on_alarm(int number) {
    (void)number;
    setitimer(ITIMER_REAL, &timer, NULL);
    handled_ns = now_ns();
    due = 1;
}

bool timer_checks_prepare(void) {
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};

    return !sigaction(SIGALRM, &action, NULL);
}

void timer_check_set(double ns) {
    struct sched_param lowest = {.sched_priority = 1};
    long us = (long)(ns * later / 1e3) + 1;

    timer.it_value =
        (struct timeval){.tv_sec = us / 1000000, .tv_usec = us % 1000000};
    if (interrupted == MOST_INTERRUPTED) {
        sched_setscheduler(0, SCHED_FIFO, &lowest);
        interrupted++;
    }
    if (interrupted > MOST_INTERRUPTED)
        pause_for(ns * later);
    due = 0;
    preempted = times_preempted();
    setitimer(ITIMER_REAL, &timer, NULL);
}

double timer_check_ns(struct pollfd *socket) {
    struct itimerval off = {{0}, {0}};
    double read_ns = now_ns(), last_read_ns = read_ns, took;
    bool missed = due;

    (void)socket;
    // The last reading of the clock before the interrupt is its beginning.
    while (!due) {
        last_read_ns = read_ns;
        read_ns = now_ns();
    }
    check_calls_make();
    setitimer(ITIMER_REAL, &timer, NULL);
    took = now_ns() - (read_ns < handled_ns ? read_ns : last_read_ns);
    setitimer(ITIMER_REAL, &off, NULL);
    if (times_preempted() != preempted) {
        interrupted++;
        return -1;
    }
    if (missed && later < MOST_LATER)
        later *= 1.1;
    else if (!missed && later > LEAST_LATER)
        later *= 0.97;
    return missed ? -1 : took;
}
