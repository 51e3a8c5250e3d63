// SPDX-License-Identifier: GPL-2.0-or-later
// Sums over the windows of the watch mode, from which a reader computes a rate
// and its interval (polltrace/watch/window_rate.py).
#ifndef POLLTRACE_WINDOW_SUMS_H
#define POLLTRACE_WINDOW_SUMS_H

#include <stdint.h>

// One window, as one process saw it.
struct window {
    double polls;       // break polls of the process in it
    double seconds;     // how long it was open
    double cpu_s;       // the process's CPU time in it, in seconds
    double displaced_s; // part of cpu_s that our counting took
};

// Sums of products over pairs of windows.
struct window_products {
    double polls; // polls times polls
    double cross; // polls times CPU seconds
    double cpu;   // CPU seconds times CPU seconds
};

struct window_sums {
    uint64_t count;     // windows
    double polls;       // break polls
    double cpu_s;       // CPU time in seconds, without that of our counting
    double seconds;     // length, shortened as our counting slowed the process
    double displaced_s; // CPU time in seconds that our counting took
    struct window_products squares;    // of each window with itself
    struct window_products neighbours; // of each with the one before
    double last_polls, last_cpu_s;     // of the last window
};

void window_add(struct window_sums *sums, const struct window *window);

#endif
