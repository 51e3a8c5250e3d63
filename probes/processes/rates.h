// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef POLLTRACE_RATES_H
#define POLLTRACE_RATES_H

#include <stdbool.h>
#include <stdint.h>

// One window, as one process saw it.
struct window {
    double polls;       // break polls of the process in it
    double seconds;     // how long it was open
    double cpu_s;       // the process's CPU time in it, in seconds
    double displaced_s; // part of cpu_s that our counting took
};

// Sums over the windows of the watch mode.
struct windows {
    uint64_t count;     // windows
    double polls;       // break polls
    double cpu_s;       // CPU time in seconds, without that of our counting
    double seconds;     // length, shortened as our counting slowed the process
    double displaced_s; // CPU time in seconds that our counting took
    double polls2, cross, cpu2; // squares: polls, polls * cpu_s, cpu_s
    double polls_next, cross_next, cpu_next; // the same of neighbours
    double last_polls, last_cpu_s;           // of the last window
};

struct rate {
    double per_s;     // break polls a second
    double low, high; // its 95 % interval
};

void window_add(struct windows *windows, const struct window *window);

// The rate over `seconds` in which the process had `cpu_s` of CPU time. False
// while there are fewer than three windows.
bool window_rate(const struct windows *windows, double cpu_s, double seconds,
                 struct rate *rate);

#endif
