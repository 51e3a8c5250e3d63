// SPDX-License-Identifier: GPL-2.0-or-later
#include "windows.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "frames.h"
#include "polltrace.skel.h"
#include "procfs.h"

uint64_t window_next(uint64_t now, const struct options *o) {
    // Between two thirds and four thirds of the mean.
    return now + o->window_gap_ns * 2 / 3 +
           (uint64_t)(drand48() * o->window_gap_ns * 2 / 3);
}

static void wait_ns(uint64_t ns) {
    struct timespec span = {ns / 1000000000, ns % 1000000000};

    clock_nanosleep(CLOCK_MONOTONIC, 0, &span, NULL);
}

// The share of the time since the last window that the process was on CPU.
// Over the window itself the kernel's figure is too coarse: it is brought up to
// date every few milliseconds.
static double busy_share(struct watched *w, uint32_t index, uint64_t now) {
    struct windows *windows = &w->process[index].windows;
    uint64_t cpu = watched_cpu_ns(w, index);
    double share = windows->ended_ns ? (double)(cpu - windows->cpu_ns) /
                                           (double)(now - windows->ended_ns)
                                     : 1;

    windows->ended_ns = now;
    windows->cpu_ns = cpu;
    return fmin(share, 1);
}

static void close_window(struct watched *w, const uint64_t *before,
                         double seconds, double cost_ns) {
    uint64_t now = monotonic_ns();

    for (uint32_t i = 0; i < w->slots; i++) {
        double polls;

        if (before[i] == UINT64_MAX || w->process[i].stage != STAGE_KEPT)
            continue;
        polls = (double)(slot_breaks(&w->probe->slots[i]) - before[i]);
        // Only what a process would have run in our time counts: one that
        // waits has the time to spare.
        window_add(&w->process[i].windows, polls, seconds,
                   polls * cost_ns * 1e-9 * busy_share(w, i, now));
    }
}

bool window_run(struct watched *w, const struct options *o, double cost_ns) {
    volatile uint32_t *gate = &w->probe->skel->bss->window_open;
    uint64_t *before = calloc(w->slots, sizeof(*before));
    bool attached = before && probe_try_attach_calls(w->probe, o);
    uint64_t start, stop;

    if (attached) {
        for (uint32_t i = 0; i < w->slots; i++)
            before[i] = w->process[i].stage == STAGE_KEPT
                            ? slot_breaks(&w->probe->slots[i])
                            : UINT64_MAX;
        // The gate, not the attaching, bounds the window: to the microsecond.
        *gate = 1;
        start = monotonic_ns();
        wait_ns(o->window_ns);
        *gate = 0;
        stop = monotonic_ns();
        probe_detach_calls(w->probe);
        close_window(w, before, (stop - start) * 1e-9, cost_ns);
    }
    free(before);
    return attached;
}
