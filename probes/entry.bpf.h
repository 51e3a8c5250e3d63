// SPDX-License-Identifier: GPL-2.0-or-later
// From each kind of context to the common code.
//   fentry      ctx[0] registers
//   tp_btf      ctx[0] registers, ctx[1] number or result; typed pointers
//   raw_tp      the same, as plain numbers
//   tracepoint  ctx[1] number, ctx[2]... arguments or result
#ifndef POLLTRACE_ENTRY_BPF_H
#define POLLTRACE_ENTRY_BPF_H

#include "poll.bpf.h"
#include "syscalls.bpf.h"
#include "times.bpf.h"

struct current {
    struct task_struct *task;
    struct slot *slot;
    __u32 index;
    __u32 tid;
};

// The filter. Nothing is read of a process that is not watched.
static __always_inline bool is_watched(struct current *now, const bool cast) {
    __u64 ids;

    if (windowed && !window_open)
        return false;
    if (cast) {
        now->task = bpf_get_current_task_btf();
        now->slot = find_slot(now->task->tgid, &now->index);
        if (!now->slot)
            return false;
        now->tid = now->task->pid;
    } else {
        ids = bpf_get_current_pid_tgid();
        now->slot = find_slot(ids >> 32, &now->index);
        if (!now->slot)
            return false;
        now->tid = ids;
        now->task = (struct task_struct *)bpf_get_current_task();
    }
    return !(READ_TYPED(cast, now->task, thread_info.status) & TS_COMPAT);
}

static __always_inline bool is_poll(long nr) {
    return nr == NR_POLL || nr == NR_PPOLL;
}

static __always_inline int on_poll(void *ctx, const struct current *now,
                                   const struct poll_call *call,
                                   const bool cast) {
    if (count_poll(ctx, now->task, now->slot, now->index, call, cast) && timing)
        enter_timed(now->slot->times, now->tid);
    return 0;
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
    struct current now;
    struct poll_call call;

    if (!is_watched(&now, cast))
        return 0;
    call = call_btf((struct pt_regs *)ctx[0], nr);
    return on_poll(ctx, &now, &call, cast);
}

static __always_inline int enter_btf(__u64 *ctx, const bool cast) {
    struct pt_regs *regs = (struct pt_regs *)ctx[0];
    struct current now;
    struct poll_call call;

    if (!is_poll(ctx[1]) || !is_watched(&now, cast))
        return 0;
    call = call_btf(regs, ctx[1]);
    return on_poll(ctx, &now, &call, cast);
}

static __always_inline int enter_raw(__u64 *ctx, const bool cast) {
    struct current now;
    struct poll_call call;

    if (!is_poll(ctx[1]) || !is_watched(&now, cast))
        return 0;
    call = call_raw((struct pt_regs *)ctx[0], ctx[1], cast);
    return on_poll(ctx, &now, &call, cast);
}

static __always_inline int enter_event(__u64 *ctx, long nr, const bool cast) {
    struct poll_call call = {nr, ctx[2], ctx[3], ctx[4], NULL};
    struct current now;

    return is_watched(&now, cast) ? on_poll(ctx, &now, &call, cast) : 0;
}

static __always_inline int leave(__u64 *ctx, const bool cast) {
    leave_timed(cast ? bpf_get_current_task_btf() : NULL, cast);
    return 0;
}

static __always_inline int leave_btf(__u64 *ctx, const bool cast) {
    struct pt_regs *regs = (struct pt_regs *)ctx[0];

    return is_poll(regs->orig_ax) ? leave(ctx, cast) : 0;
}

static __always_inline int leave_raw(__u64 *ctx, const bool cast) {
    return is_poll(READ(cast, pt_regs, ctx[0], orig_ax)) ? leave(ctx, cast) : 0;
}

static __always_inline int enter_all_btf(__u64 *ctx, const bool cast) {
    struct pt_regs *regs = (struct pt_regs *)ctx[0];
    struct current now;
    struct poll_call call;

    if (!is_watched(&now, cast))
        return 0;
    if (is_poll(ctx[1])) {
        call = call_btf(regs, ctx[1]);
        on_poll(ctx, &now, &call, cast);
    }
    start_syscall(now.index, now.tid, ctx[1]);
    return 0;
}

static __always_inline int enter_all_raw(__u64 *ctx, const bool cast) {
    struct current now;
    struct poll_call call;

    if (!is_watched(&now, cast))
        return 0;
    if (is_poll(ctx[1])) {
        call = call_raw((struct pt_regs *)ctx[0], ctx[1], cast);
        on_poll(ctx, &now, &call, cast);
    }
    start_syscall(now.index, now.tid, ctx[1]);
    return 0;
}

static __always_inline int enter_all_event(__u64 *ctx, const bool cast) {
    struct current now;
    struct poll_call call;

    if (!is_watched(&now, cast))
        return 0;
    if (is_poll(ctx[1])) {
        call = (struct poll_call){ctx[1], ctx[2], ctx[3], ctx[4], NULL};
        on_poll(ctx, &now, &call, cast);
    }
    start_syscall(now.index, now.tid, ctx[1]);
    return 0;
}

static __always_inline int leave_all(long nr, long ret, const bool cast) {
    struct current now;

    if (is_watched(&now, cast))
        end_syscall(now.index, now.tid, nr, ret, bpf_ktime_get_ns());
    return 0;
}

static __always_inline int leave_all_btf(__u64 *ctx, const bool cast) {
    struct pt_regs *regs = (struct pt_regs *)ctx[0];

    return leave_all(regs->orig_ax, ctx[1], cast);
}

static __always_inline int leave_all_raw(__u64 *ctx, const bool cast) {
    return leave_all(READ(cast, pt_regs, ctx[0], orig_ax), ctx[1], cast);
}

static __always_inline int leave_all_event(__u64 *ctx, const bool cast) {
    return leave_all(ctx[1], ctx[2], cast);
}

#endif
