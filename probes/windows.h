// SPDX-License-Identifier: GPL-2.0-only
// Counting in short windows at random moments, and the rates that follow.
#ifndef POLLTRACE_WINDOWS_H
#define POLLTRACE_WINDOWS_H

#include "watched.h"

struct rate {
    double per_s, low, high; // the 95 % interval
};

// When the next window is due, drawn at random around the mean gap.
uint64_t window_next(uint64_t now_ns, const struct options *options);

// Attaches, counts for the length of a window, detaches. False when it could
// not attach.
bool window_run(struct watched *watched, const struct options *options,
                double cost_ns);

// False while there are fewer than three windows.
bool window_rate(const struct windows *windows, struct rate *rate);

// Adds one window: `polls` in `seconds`, of which our counting took
// `displaced` from the process.
void window_add(struct windows *windows, double polls, double seconds,
                double displaced);

#endif
