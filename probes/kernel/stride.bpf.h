// SPDX-License-Identifier: GPL-2.0-or-later
// Which break polls get a stack: one after a gap drawn at random around a
// stride. A fixed gap would credit one of two alternating sockets with all the
// polls. The automatic stride adapts to the rate, so that a process gives about
// STACKS_PER_S however fast it polls; each stack then stands for as many polls
// as the stride was when its gap was drawn.
#ifndef POLLTRACE_STRIDE_BPF_H
#define POLLTRACE_STRIDE_BPF_H

#include "kernel/stacks.bpf.h"

#define STACKS_PER_S 200
#define STACK_NS (1000000000 / STACKS_PER_S)
#define MAX_STRIDE (1u << 24)

// Polls in STACK_NS at the rate of the last gap; at most twice and at least
// half the old stride, so that one odd gap does little.
static __always_inline __u32 next_stride(const struct slot *slot, __u64 took) {
    __u32 stride = slot->stack_stride ? slot->stack_stride : 1;
    __u64 next = (__u64)slot->stack_gap * STACK_NS / (took + 1);

    if (next > stride * 2)
        next = stride * 2;
    if (next < stride / 2)
        next = stride / 2;
    if (next > MAX_STRIDE)
        return MAX_STRIDE;
    return next ? next : 1;
}

static __noinline int sample_poll(void *ctx, struct task_struct *task,
                                  __u32 index, struct pt_regs *regs) {
    struct slot *slot = bpf_map_lookup_elem(&slots, &index);
    __u32 stood_for;
    __u64 now_ns;

    if (!slot)
        return 0;
    stood_for = slot->stack_stride ? slot->stack_stride : 1;
    if (stack_auto) {
        now_ns = bpf_ktime_get_ns();
        slot->stack_stride = next_stride(slot, now_ns - slot->stack_ns);
        slot->stack_ns = now_ns;
    } else {
        slot->stack_stride = stack_stride;
    }
    slot->stack_gap = 1 + bpf_get_prandom_u32() % (2 * slot->stack_stride - 1);
    slot->until_stack = slot->stack_gap;
    sample_stack(ctx, task, index, regs, stood_for);
    return 0;
}

#endif
