// SPDX-License-Identifier: GPL-2.0-or-later
#include "measurement/on_cpu.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>

#include "loader/shared.h"
#include "polltrace.skel.h"
#include "readers/procfs.h"

#define TRIES 8

static bool exact;
static uint64_t busy_before, stolen_before; // at the first window

bool on_cpu_begin(struct probe *p) {
    DECLARE_LIBBPF_OPTS(bpf_test_run_opts, run, .flags = BPF_F_TEST_RUN_ON_CPU);
    int program = bpf_program__fd(p->skel->progs.window_mark);

    if (!busy_before)
        proc_busy_ticks(&busy_before, &stolen_before);
    exact = true;
    for (uint32_t cpu = 0; cpu < p->cpus && exact; cpu++) {
        run.cpu = cpu;
        // ENXIO: the CPU is offline.
        exact = !bpf_prog_test_run_opts(program, &run) || errno == ENXIO;
    }
    return exact;
}

static uint64_t switches(struct probe *p) {
    uint64_t sum = 0;

    shared_pull_cpus(p);
    for (uint32_t cpu = 0; cpu < p->cpus; cpu++)
        sum += __atomic_load_n(&p->cpu[cpu].switches, __ATOMIC_ACQUIRE);
    return sum;
}

static void read_once(const struct watched *w, uint64_t now_ns, uint64_t *ns) {
    struct probe *p = w->probe;

    for (uint32_t slot = 0; slot < w->slots; slot++) {
        if (w->process[slot].stage == STAGE_KEPT)
            shared_pull_slot(p, slot);
        ns[slot] = p->slots[slot].on_cpu_ns;
    }
    shared_pull_cpus(p);
    for (uint32_t cpu = 0; cpu < p->cpus; cpu++) {
        struct cpu running = p->cpu[cpu];

        if (running.slot && running.slot <= w->slots)
            ns[running.slot - 1] +=
                now_ns - running.since; // may be a little negative
    }
}

void on_cpu_read(struct watched *w, uint64_t now_ns, uint64_t *ns) {
    if (!exact) {
        for (uint32_t slot = 0; slot < w->slots; slot++)
            ns[slot] = w->process[slot].stage == STAGE_KEPT
                           ? proc_cpu_ns(w->process[slot].pid)
                           : 0;
        return;
    }
    // Repeat if a CPU switched between reading it and reading its slot.
    for (int i = 0; i < TRIES; i++) {
        uint64_t switches_before = switches(w->probe);

        read_once(w, now_ns, ns);
        if (switches(w->probe) == switches_before)
            break;
    }
}

double on_cpu_stolen(void) {
    uint64_t busy, stolen;

    if (!exact || !proc_busy_ticks(&busy, &stolen) || busy <= busy_before)
        return 0;
    return (double)(stolen - stolen_before) / (double)(busy - busy_before);
}
