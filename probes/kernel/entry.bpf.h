// SPDX-License-Identifier: GPL-2.0-or-later
// From each kind of context to the common code.
//   fentry      ctx[0] registers, which some kernels refuse to read
//   tp_btf      ctx[0] registers, ctx[1] number or result; typed pointers
//   raw_tp      the same, as plain numbers
//   kprobe      the registers at the function's entry; rdi points to the call's
#ifndef POLLTRACE_ENTRY_BPF_H
#define POLLTRACE_ENTRY_BPF_H

#include "kernel/checks.bpf.h"
#include "kernel/syscalls.bpf.h"
#include "kernel/times.bpf.h"

struct current {
    struct task_struct *task;
    struct slot *slot;
    __u32 index;
    __u32 tid;
};

// The filter. Nothing is read of a process that is not watched.
static __always_inline bool is_watched(struct current *current,
                                       const bool cast) {
    __u64 ids;

    if (windowed && !window_open)
        return false;
    if (cast) {
        current->task = bpf_get_current_task_btf();
        current->slot = find_slot(current->task->tgid, &current->index);
        if (!current->slot)
            return false;
        current->tid = current->task->pid;
    } else {
        ids = bpf_get_current_pid_tgid();
        current->slot = find_slot(ids >> 32, &current->index);
        if (!current->slot)
            return false;
        current->tid = ids;
        current->task = (struct task_struct *)bpf_get_current_task();
    }
    return true;
}

#define TS_COMPAT 2

// Whether the current call is one of the 32-bit ABI: other numbers, arguments
// in other registers. A 64-bit process may make such calls too.
static __always_inline bool is_32bit(const struct current *current,
                                     const bool cast) {
    return READ_TYPED(cast, current->task, thread_info.status) & TS_COMPAT;
}

static __always_inline int on_poll(void *ctx, const struct current *current,
                                   const struct poll_call *call,
                                   const bool cast) {
    if (count_poll(ctx, current->task, current->slot, current->index, call,
                   cast) &&
        timing)
        enter_timed(current->slot->times, current->tid);
    return 0;
}

static __always_inline int on_call(void *ctx, const struct current *current,
                                   const struct any_call *call,
                                   const bool cast) {
    if (count_call(ctx, current->task, current->slot, current->index, call,
                   cast) &&
        timing)
        enter_timed(current->slot->times, current->tid);
    return 0;
}

// Every other call but poll, by its registers; `now` has passed the filter.
static __always_inline int on_call_regs(void *ctx,
                                        const struct current *current, long nr,
                                        struct pt_regs *regs, const bool cast) {
    struct any_call call = {.nr = nr, .regs = regs};

    call.argument[0] = READ(cast, pt_regs, regs, di);
    call.argument[1] = READ(cast, pt_regs, regs, si);
    call.argument[2] = READ(cast, pt_regs, regs, dx);
    call.argument[3] = READ(cast, pt_regs, regs, r10);
    call.argument[4] = READ(cast, pt_regs, regs, r8);
    return on_call(ctx, current, &call, cast);
}

// A poll by the 32-bit ABI: rare, so one form serves every program.
static __noinline int on_poll_32(void *ctx, long nr, __u64 fds, __u64 nfds,
                                 __u64 wait) {
    struct poll_call call = {nr, (__u32)fds, nfds, (__u32)wait, NULL};
    struct current current;

    if (!is_watched(&current, false) || !is_32bit(&current, false))
        return 0;
    return on_poll(ctx, &current, &call, false);
}

static __always_inline int on_poll_32_regs(void *ctx, long nr,
                                           struct pt_regs *regs) {
    return on_poll_32(ctx, nr, BPF_CORE_READ(regs, bx), BPF_CORE_READ(regs, cx),
                      BPF_CORE_READ(regs, dx));
}

// Typed registers: read like any structure.
static __always_inline struct poll_call call_btf(struct pt_regs *regs,
                                                 long nr) {
    return (struct poll_call){nr, regs->di, regs->si, regs->dx, regs};
}

static __always_inline struct poll_call call_raw(struct pt_regs *regs, long nr,
                                                 const bool cast) {
    struct {
        __u64 dx, si, di; // neighbours in pt_regs, in this order
    } args = {};

    if (cast)
        return call_btf(AS(pt_regs, regs), nr);
    bpf_probe_read_kernel(&args, sizeof(args), &regs->dx);
    return (struct poll_call){nr, args.di, args.si, args.dx, regs};
}

static __always_inline int enter_fentry(__u64 *ctx, long nr, const bool cast) {
    struct current current;
    struct poll_call call;

    if (!is_watched(&current, cast))
        return 0;
    call = call_btf((struct pt_regs *)ctx[0], nr);
    return on_poll(ctx, &current, &call, cast);
}

static __always_inline int enter_fentry_32(__u64 *ctx, long nr,
                                           const bool cast) {
    if (untyped_registers)
        return on_poll_32_regs(
            ctx, nr, user_regs((struct task_struct *)bpf_get_current_task()));
    return on_poll_32_regs(ctx, nr, (struct pt_regs *)ctx[0]);
}

static __always_inline int enter_fentry_call(__u64 *ctx, long nr,
                                             const bool cast) {
    struct current current;

    if (!is_watched(&current, cast))
        return 0;
    if (untyped_registers)
        return on_call_regs(ctx, &current, nr, user_regs(current.task), cast);
    return on_call_regs(ctx, &current, nr, (struct pt_regs *)ctx[0], cast);
}

#define CONTEXT_DI 14 // of a kprobe's registers

static __always_inline int enter_kprobe_call(__u64 *ctx, long nr,
                                             const bool cast) {
    struct current current;

    if (!is_watched(&current, cast))
        return 0;
    return on_call_regs(ctx, &current, nr, (struct pt_regs *)ctx[CONTEXT_DI],
                        cast);
}

static __always_inline int enter_kprobe(__u64 *ctx, long nr, const bool cast) {
    struct current current;
    struct poll_call call;

    if (!is_watched(&current, cast))
        return 0;
    call = call_raw((struct pt_regs *)ctx[CONTEXT_DI], nr, cast);
    return on_poll(ctx, &current, &call, cast);
}

static __always_inline int enter_kprobe_32(__u64 *ctx, long nr,
                                           const bool cast) {
    return on_poll_32_regs(ctx, nr, (struct pt_regs *)ctx[CONTEXT_DI]);
}

// Any call but poll and ppoll: of most programs, and so one that is left at
// once.
static __always_inline int enter_rare(__u64 *ctx, struct pt_regs *regs,
                                      const bool cast) {
    struct current current;

    if (call_of(ctx[1])) {
        if (!is_watched(&current, cast) || is_32bit(&current, cast))
            return 0;
        return on_call_regs(ctx, &current, ctx[1], regs, cast);
    }
    return is_poll_32(ctx[1]) ? on_poll_32_regs(ctx, ctx[1], regs) : 0;
}

static __always_inline int enter_btf(__u64 *ctx, const bool cast) {
    struct pt_regs *regs = (struct pt_regs *)ctx[0];
    struct current current;
    struct poll_call call;

    if (!is_poll(ctx[1]))
        return enter_rare(ctx, regs, cast);
    if (!is_watched(&current, cast) || is_32bit(&current, cast))
        return 0;
    call = call_btf(regs, ctx[1]);
    return on_poll(ctx, &current, &call, cast);
}

static __always_inline int enter_raw(__u64 *ctx, const bool cast) {
    struct pt_regs *regs = (struct pt_regs *)ctx[0];
    struct current current;
    struct poll_call call;

    if (!is_poll(ctx[1]))
        return enter_rare(ctx, regs, cast);
    if (!is_watched(&current, cast) || is_32bit(&current, cast))
        return 0;
    call = call_raw(regs, ctx[1], cast);
    return on_poll(ctx, &current, &call, cast);
}

static __always_inline int leave(__u64 *ctx, const bool cast) {
    leave_timed(cast ? bpf_get_current_task_btf() : NULL, cast);
    return 0;
}

// leave_timed() knows whether it was a poll; the numbers only spare the others.
static __always_inline int leave_number(__u64 *ctx, long nr, const bool cast) {
    return is_poll(nr) || call_of(nr) || is_poll_32(nr) ? leave(ctx, cast) : 0;
}

static __always_inline int leave_btf(__u64 *ctx, const bool cast) {
    struct pt_regs *regs = (struct pt_regs *)ctx[0];

    return leave_number(ctx, regs->orig_ax, cast);
}

static __always_inline int leave_raw(__u64 *ctx, const bool cast) {
    return leave_number(ctx, READ(cast, pt_regs, ctx[0], orig_ax), cast);
}

// Every system call. Those of the 32-bit ABI have other numbers and are counted
// as one sum.
static __always_inline bool is_32bit_call(const struct current *current,
                                          const bool cast) {
    if (!is_32bit(current, cast))
        return false;
    __sync_fetch_and_add(&current->slot->calls_32bit, 1);
    return true;
}

static __always_inline int enter_all_btf(__u64 *ctx, const bool cast) {
    struct pt_regs *regs = (struct pt_regs *)ctx[0];
    struct current current;
    struct poll_call call;

    if (!is_watched(&current, cast))
        return 0;
    if (is_32bit_call(&current, cast))
        return is_poll_32(ctx[1]) ? on_poll_32_regs(ctx, ctx[1], regs) : 0;
    if (is_poll(ctx[1])) {
        call = call_btf(regs, ctx[1]);
        on_poll(ctx, &current, &call, cast);
    } else if (call_of(ctx[1])) {
        on_call_regs(ctx, &current, ctx[1], regs, cast);
    }
    start_syscall(current.index, current.tid, ctx[1]);
    return 0;
}

static __always_inline int enter_all_raw(__u64 *ctx, const bool cast) {
    struct pt_regs *regs = (struct pt_regs *)ctx[0];
    struct current current;
    struct poll_call call;

    if (!is_watched(&current, cast))
        return 0;
    if (is_32bit_call(&current, cast))
        return is_poll_32(ctx[1]) ? on_poll_32_regs(ctx, ctx[1], regs) : 0;
    if (is_poll(ctx[1])) {
        call = call_raw(regs, ctx[1], cast);
        on_poll(ctx, &current, &call, cast);
    } else if (call_of(ctx[1])) {
        on_call_regs(ctx, &current, ctx[1], regs, cast);
    }
    start_syscall(current.index, current.tid, ctx[1]);
    return 0;
}

static __always_inline int leave_all(long nr, long ret, const bool cast) {
    struct current current;

    if (is_watched(&current, cast) && !is_32bit(&current, cast))
        end_syscall(current.index, current.tid, nr, ret, bpf_ktime_get_ns());
    return 0;
}

static __always_inline int leave_all_btf(__u64 *ctx, const bool cast) {
    struct pt_regs *regs = (struct pt_regs *)ctx[0];

    return leave_all(regs->orig_ax, ctx[1], cast);
}

static __always_inline int leave_all_raw(__u64 *ctx, const bool cast) {
    return leave_all(READ(cast, pt_regs, ctx[0], orig_ax), ctx[1], cast);
}

#endif
