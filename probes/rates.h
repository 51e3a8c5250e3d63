// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef POLLTRACE_RATES_H
#define POLLTRACE_RATES_H

#include <stdbool.h>
#include <stdint.h>

// One window, as one process saw it.
struct window {
    double polls;
    double seconds;     // how long it was open
    double cpu_s;       // the process's CPU time in it,
    double displaced_s; // of which our counting took so much
};

// What the windows of the watch mode saw: n, and sums.
struct windows {
    uint64_t count;
    double polls, cpu_s; // CPU time without ours
    double seconds;      // less as much as our counting slowed the process
    double displaced_s;
    double polls2, cross, cpu2;
    double polls_next, cross_next, cpu_next; // products of neighbours
    double last_polls, last_cpu_s;
};

struct rate {
    double per_s, low, high; // the 95 % interval
};

void window_add(struct windows *windows, const struct window *window);

// The rate over `seconds` in which the process had `cpu_s` of CPU time. False
// while there are fewer than three windows.
bool window_rate(const struct windows *windows, double cpu_s, double seconds,
                 struct rate *rate);

#endif
