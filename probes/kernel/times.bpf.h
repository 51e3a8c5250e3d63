// SPDX-License-Identifier: GPL-2.0-or-later
// Durations of break polls and of the gaps between them.
#ifndef POLLTRACE_TIMES_BPF_H
#define POLLTRACE_TIMES_BPF_H

#include "kernel/maps.bpf.h"

static __always_inline __u32 bucket_of(__u64 ns) {
    __u32 power = 0;
    __u64 shifted = ns;

    if (ns < 1 << SUB_BITS)
        return ns;
    if (ns >> MAX_POWER)
        return TIME_BUCKETS - 1;
#pragma unroll
    for (__u32 step = 32; step; step /= 2) {
        if (shifted >> step) {
            shifted >>= step;
            power += step;
        }
    }
    return ((power - SUB_BITS) << SUB_BITS) + (ns >> (power - SUB_BITS));
}

static __always_inline void add_time(__u64 *histogram, __u64 ns) {
    __u32 bucket = bucket_of(ns);

    barrier_var(bucket); // the verifier must see the check, not the compiler
    if (bucket < TIME_BUCKETS)
        __sync_fetch_and_add(&histogram[bucket], 1);
}

// Runs last at entry, so that the time of our own counting is part of the gap
// before the poll and not of the poll. Only one store follows the reading of
// the clock: all sums are made after the second reading and are part of the gap
// after it.
static __always_inline void enter_timed(__u32 block, __u32 tid) {
    __u32 place = tid & started_mask;
    struct timed_thread *thread = bpf_map_lookup_elem(&timed, &place);

    if (!thread)
        return;
    if (thread->tid != tid) {
        if (thread->entered_ns)
            lose(LOST_TIMES); // of a thread evicted in the middle of a poll
        thread->tid = tid;
        thread->left_ns = 0;
    }
    thread->times = block;
    thread->entered_ns = bpf_ktime_get_ns();
}

// The only filter here is whether enter_timed() saw the poll that ends: no
// other thread has an entry under its id.
static __always_inline void leave_timed(struct task_struct *task,
                                        const bool cast) {
    __u32 tid = cast ? task->pid : (__u32)bpf_get_current_pid_tgid();
    __u32 place = tid & started_mask, block;
    struct timed_thread *thread = bpf_map_lookup_elem(&timed, &place);
    __u64 left_ns, entered_ns;
    struct times *histograms;

    if (!thread || thread->tid != tid || !thread->entered_ns)
        return; // no break poll, not watched, or begun before we attached
    // The clock is read after this test (a few ns), so that processes that are
    // not watched do not pay for it (40 ns).
    left_ns = bpf_ktime_get_ns();
    block = thread->times;
    entered_ns = thread->entered_ns;
    histograms = bpf_map_lookup_elem(&times, &block);
    if (histograms) {
        add_time(histograms->duration, left_ns - entered_ns);
        if (thread->left_ns)
            add_time(histograms->gap, entered_ns - thread->left_ns);
    }
    thread->entered_ns = 0;
    thread->left_ns = left_ns;
}

#endif
