// SPDX-License-Identifier: GPL-2.0-or-later
// Calls of a user function between break polls, for a moment.
#ifndef POLLTRACE_BURSTS_BPF_H
#define POLLTRACE_BURSTS_BPF_H

#include "kernel/slots.bpf.h"

static __always_inline void burst_call(void) {
    __u32 index;
    struct burst *burst;

    if (!find_slot(bpf_get_current_pid_tgid() >> 32, &index))
        return;
    burst = bpf_map_lookup_elem(&bursts, &index);
    if (burst && burst->open)
        __sync_fetch_and_add(&burst->calls, 1);
}

static __always_inline void burst_poll(__u32 index) {
    struct burst *burst = bpf_map_lookup_elem(&bursts, &index);

    if (!burst || !burst->open)
        return;
    if (!burst->polls)
        burst->first = burst->calls;
    burst->last = burst->calls;
    __sync_fetch_and_add(&burst->polls, 1);
}

#endif
