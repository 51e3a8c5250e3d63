// SPDX-License-Identifier: GPL-2.0-or-later
// How long each watched process is on a CPU while a window is open: from
// sched_switch, which is attached for the window alone. The kernel's own
// figures for another process are only brought up to date every tick.
#ifndef POLLTRACE_WINDOWS_BPF_H
#define POLLTRACE_WINDOWS_BPF_H

#include "kernel/slots.bpf.h"

// From here on this CPU runs `next`.
static __always_inline void run_on_cpu(struct task_struct *next) {
    __u32 cpu = bpf_get_smp_processor_id(), index;
    struct cpu *running = bpf_map_lookup_elem(&cpus, &cpu);
    __u64 now_ns = bpf_ktime_get_ns();
    struct slot *slot;

    if (!running)
        return;
    if (running->slot) {
        index = running->slot - 1;
        slot = bpf_map_lookup_elem(&slots, &index);
        if (slot)
            __sync_fetch_and_add(&slot->on_cpu_ns, now_ns - running->since);
    }
    slot = find_slot(BPF_CORE_READ(next, tgid), &index);
    running->slot = slot ? index + 1 : 0;
    running->since = now_ns;
    running->switches++;
}

#endif
