// SPDX-License-Identifier: GPL-2.0-or-later
#include "measurement/windows.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "loader/attach.h"
#include "loader/shared.h"
#include "measurement/on_cpu.h"
#include "polltrace.skel.h"
#include "readers/procfs.h"

uint64_t window_next(uint64_t now, const struct options *o) {
    // Between two thirds and four thirds of the mean.
    return now + o->window_gap_ns * 2 / 3 +
           (uint64_t)(drand48() * o->window_gap_ns * 2 / 3);
}

static void wait_ns(uint64_t ns) {
    struct timespec span = {ns / 1000000000, ns % 1000000000};

    clock_nanosleep(CLOCK_MONOTONIC, 0, &span, NULL);
}

static void close_window(struct watched *w, const uint64_t *polls,
                         const uint64_t *cpu_before, const uint64_t *cpu_after,
                         double seconds, double cost_ns) {
    for (uint32_t i = 0; i < w->slots; i++) {
        struct window window = {.seconds = seconds};
        int64_t cpu = cpu_after[i] - cpu_before[i];

        if (polls[i] == UINT64_MAX || w->process[i].stage != STAGE_KEPT)
            continue;
        shared_pull_slot(w->probe, i);
        window.polls = slot_breaks(&w->probe->slots[i]) - polls[i];
        window.cpu_s = cpu > 0 ? cpu * 1e-9 : 0;
        window.displaced_s = window.polls * cost_ns * 1e-9;
        window_add(&w->process[i].windows, &window);
    }
}

bool window_run(struct watched *w, double cost_ns) {
    struct polltrace__bss *globals = w->probe->globals;
    uint64_t *polls = calloc(w->slots, 3 * sizeof(*polls)), start, stop;
    uint64_t *cpu_before = polls + w->slots, *cpu_after = polls + 2 * w->slots;
    bool attached;

    memset(w->probe->cpu, 0, w->probe->cpus * sizeof(*w->probe->cpu));
    shared_put_cpus(w->probe);
    attached = polls && probe_try_attach_calls(w->probe);
    if (attached) {
        on_cpu_begin(w->probe);
        shared_pull(w->probe);
        for (uint32_t i = 0; i < w->slots; i++)
            polls[i] = w->process[i].stage == STAGE_KEPT
                           ? slot_breaks(&w->probe->slots[i])
                           : UINT64_MAX;
        // The gate, not the attaching, bounds the window: to the microsecond.
        shared_store(w->probe, globals->window_open, 1);
        start = monotonic_ns();
        on_cpu_read(w, start, cpu_before);
        wait_ns(w->options->window_ns);
        shared_store(w->probe, globals->window_open, 0);
        stop = monotonic_ns();
        on_cpu_read(w, stop, cpu_after);
        probe_detach_calls(w->probe);
        close_window(w, polls, cpu_before, cpu_after, (stop - start) * 1e-9,
                     cost_ns);
    }
    free(polls);
    return attached;
}
