// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef POLLTRACE_RATES_H
#define POLLTRACE_RATES_H

#include <stdbool.h>
#include <stdint.h>

// What the windows of the watch mode saw: n, and sums of counts and seconds.
struct windows {
    uint64_t count;
    double polls, seconds, polls2, cross, seconds2, displaced;
    uint64_t ended_ns, cpu_ns; // of the last one
};

struct rate {
    double per_s, low, high; // the 95 % interval
};

// False while there are fewer than three windows.
bool window_rate(const struct windows *windows, struct rate *rate);

// Adds one window: `polls` in `seconds`, of which our counting took
// `displaced` from the process.
void window_add(struct windows *windows, double polls, double seconds,
                double displaced);

#endif
