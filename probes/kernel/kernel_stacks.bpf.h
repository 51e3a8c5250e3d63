// SPDX-License-Identifier: GPL-2.0-or-later
// The kernel's part of a stack, by an id: both parts together would be more
// than a map's key may hold.
#ifndef POLLTRACE_KERNEL_STACKS_BPF_H
#define POLLTRACE_KERNEL_STACKS_BPF_H

#include "kernel/maps.bpf.h"

#define ID_BITS 16 // of one CPU and kind

// The id of the stack in the scratch.
static __always_inline __u32 kernel_id(struct kernel_scratch *scratch_stack,
                                       __u32 kind) {
    __u32 *id = bpf_map_lookup_elem(&kernel_stacks, &scratch_stack->stack), new;

    if (id)
        return *id;
    // Numbered by the CPU for itself, so that no two are the same.
    new = ((bpf_get_smp_processor_id() * STACK_KINDS + kind) << ID_BITS) |
          ++scratch_stack->last;
    bpf_map_update_elem(&kernel_stacks, &scratch_stack->stack, &new,
                        BPF_NOEXIST);
    id = bpf_map_lookup_elem(&kernel_stacks, &scratch_stack->stack);
    if (id)
        return *id;
    lose(LOST_KERNEL);
    return 0;
}

// 0 when there is none: a sample in user mode.
static __noinline __u32 kernel_part(void *ctx, __u32 kind) {
    struct kernel_scratch *scratch_stack =
        bpf_map_lookup_elem(&kernel_scratch, &kind);
    __u64 skip = kind == STACK_CPU ? 0 : own_frames;

    if (!scratch_stack)
        return 0;
    __builtin_memset(&scratch_stack->stack, 0, sizeof(scratch_stack->stack));
    if (bpf_get_stack(ctx, scratch_stack->stack.address,
                      sizeof(scratch_stack->stack), skip) <= 0)
        return 0;
    return kernel_id(scratch_stack, kind);
}

#endif
