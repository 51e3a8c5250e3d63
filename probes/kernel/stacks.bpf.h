// SPDX-License-Identifier: GPL-2.0-or-later
// A user stack as a map key, with the caller that libc's poll hides.
#ifndef POLLTRACE_STACKS_BPF_H
#define POLLTRACE_STACKS_BPF_H

#include "kernel/kernel_stacks.bpf.h"
#include "kernel/unwind.bpf.h"

// glibc's poll pushes no frame, so a frame-pointer walk from the system call
// steps over the function that called it. The loader worked out from
// .eh_frame how far above the stack pointer the return address lies. select,
// and others on their cancellable path, moreover use rbp for something else:
// then the walk starts over from where they saved it.
#define THREAD_SIZE 16384 // x86-64's, except with KASAN

// Where the kernel keeps the user's registers during a system call of the
// current task. From Linux 6.9 on there may be room for FRED above them; the
// kernel's own helper accounts for it and exists since 5.15.
static __always_inline struct pt_regs *user_regs(struct task_struct *task) {
    __u64 top;

    if (bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs))
        return (struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());
    top = (__u64)BPF_CORE_READ(task, stack) + THREAD_SIZE;
    return (struct pt_regs *)(top - bpf_core_type_size(struct pt_regs));
}

// Replaces all but the first address by those on the frame chain from `frame`.
static __always_inline void walk_again(struct stack_key *key, __u64 frame) {
    __u64 step[2]; // the next frame, the return address
    __u32 depth;

    __builtin_memset(&key->address[1], 0,
                     sizeof(key->address) - sizeof(key->address[0]));
    for (depth = 1; depth < STACK_DEPTH && depth < stack_depth; depth++) {
        if (bpf_probe_read_user(step, sizeof(step), (void *)frame) || !step[1])
            break;
        key->address[depth] = step[1];
        if (step[0] <= frame) {
            depth++;
            break;
        }
        frame = step[0];
    }
    key->depth = depth;
    key->stop = depth == stack_depth ? STOP_DEPTH : STOP_UNKNOWN;
}

static __always_inline void find_caller(struct stack_key *key,
                                        struct task_struct *task,
                                        struct pt_regs *regs) {
    struct site_key site = {.image = key->image, .ip = key->address[0]};
    struct site_rule *rule = bpf_map_lookup_elem(&sites, &site);
    __u64 sp, frame;

    if (!rule)
        return;
    if (rule->caller == SITE_FRAME_POINTER) {
        key->hidden = HIDDEN_NOT_NEEDED;
        return;
    }
    sp = BPF_CORE_READ(regs ? regs : user_regs(task), sp);
    if (bpf_probe_read_user(&key->caller, sizeof(key->caller),
                            (void *)(sp + rule->caller)))
        return;
    if (rule->frame != SITE_FRAME_KEPT) {
        if (bpf_probe_read_user(&frame, sizeof(frame),
                                (void *)(sp + rule->frame)))
            return;
        walk_again(key, frame);
    }
    key->hidden = HIDDEN_RECOVERED;
}

static __always_inline void start_key(struct stack_key *key, __u32 kind,
                                      __u32 index, const struct slot *slot) {
    __builtin_memset(key, 0, sizeof(*key));
    key->slot = index;
    key->kind = kind;
    key->image = slot->image;
}

// The user part; false when there is none.
static __always_inline bool walk_user(void *ctx, struct stack_key *key,
                                      __u32 kind, struct task_struct *task,
                                      struct pt_regs *regs) {
    __u64 depth = stack_depth;
    long got, size;

    if (unwinding && unwind_user(key, kind, regs ? regs : user_regs(task)))
        return true;
    // Before Linux 5.5 the verifier does not know the values of constants.
    barrier_var(depth);
    if (depth > STACK_DEPTH)
        depth = STACK_DEPTH;
    size = depth * 8;
    got = bpf_get_stack(ctx, key->address, size, BPF_F_USER_STACK);
    if (got <= 0)
        return false;
    key->by_kernel = 1;
    key->depth = got / 8;
    key->stop = got == size ? STOP_DEPTH : STOP_UNKNOWN;
    find_caller(key, task, regs);
    return true;
}

// `polls` is how many break polls it stands for; 0: it is an on-CPU sample.
static __noinline int sample_stack(void *ctx, struct task_struct *task,
                                   __u32 index, struct pt_regs *regs,
                                   __u32 polls) {
    __u32 kind = polls ? STACK_POLL : STACK_CPU;
    struct stack_key *key = bpf_map_lookup_elem(&scratch, &kind);
    struct slot *slot = bpf_map_lookup_elem(&slots, &index);
    struct stack_count zero = {}, *count;

    if (!key || !slot)
        return 0;
    start_key(key, kind, index, slot);
    if (!walk_user(ctx, key, kind, task, regs)) {
        lose(LOST_STACKS);
        return 0;
    }
    if (kernel_parts)
        key->kernel = kernel_part(ctx, kind);
    count = bpf_map_lookup_elem(&stacks, key);
    if (!count) {
        bpf_map_update_elem(&stacks, key, &zero, BPF_NOEXIST);
        count = bpf_map_lookup_elem(&stacks, key);
    }
    if (!count) {
        lose(LOST_STACKS);
        return 0;
    }
    __sync_fetch_and_add(&count->count, 1);
    __sync_fetch_and_add(&count->polls, polls);
    return 0;
}

#endif
