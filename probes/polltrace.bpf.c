// SPDX-License-Identifier: GPL-2.0-only
// The programs. Each variant reads its own kind of context and hands over to
// the same code; the loader loads one variant, and only what its mode needs.
#include "poll.bpf.h"
#include "syscalls.bpf.h"

#define NR_POLL 7
#define NR_PPOLL 271
#define TS_COMPAT 2 // a 32-bit system call: other numbers, other structures

char LICENSE[] SEC("license") = "GPL";

static __always_inline struct poll_call call_of(struct pt_regs *regs, long nr) {
    struct poll_call call = {
        .fds = (const void *)regs->di,
        .nfds = regs->si,
        .sp = regs->sp,
    };

    if (nr == NR_POLL)
        call.now = (int)regs->dx == 0;
    else if (call.nfds == 1)
        call.now = is_zero_timespec((const void *)regs->dx);
    return call;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(enter_tp_btf, struct pt_regs *regs, long nr) {
    struct task_struct *task;
    struct poll_call call;
    struct slot *slot;
    __u32 index;

    if (nr != NR_POLL && nr != NR_PPOLL)
        return 0;
    task = bpf_get_current_task_btf();
    slot = find_slot(task->tgid, &index);
    if (!slot || task->thread_info.status & TS_COMPAT)
        return 0;
    call = call_of(regs, nr);
    count_poll(ctx, task, slot, index, &call);
    return 0;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(enter_all_tp_btf, struct pt_regs *regs, long nr) {
    struct task_struct *task = bpf_get_current_task_btf();
    struct poll_call call;
    struct slot *slot;
    __u32 index;

    slot = find_slot(task->tgid, &index);
    if (!slot || task->thread_info.status & TS_COMPAT)
        return 0;
    if (nr == NR_POLL || nr == NR_PPOLL) {
        call = call_of(regs, nr);
        count_poll(ctx, task, slot, index, &call);
    }
    start_syscall(index, task->pid, nr);
    return 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(exit_all_tp_btf, struct pt_regs *regs, long ret) {
    struct task_struct *task = bpf_get_current_task_btf();
    struct slot *slot;
    __u32 index;

    slot = find_slot(task->tgid, &index);
    if (!slot || task->thread_info.status & TS_COMPAT)
        return 0;
    end_syscall(index, task->pid, regs->orig_ax, ret);
    return 0;
}

SEC("raw_tp/sched_process_fork")
int fork_raw_tp(struct bpf_raw_tracepoint_args *ctx) {
    on_fork((void *)ctx->args[0], (void *)ctx->args[1]);
    return 0;
}

SEC("raw_tp/sched_process_exec")
int exec_raw_tp(struct bpf_raw_tracepoint_args *ctx) {
    on_exec((void *)ctx->args[0]);
    return 0;
}

SEC("raw_tp/sched_process_exit")
int exit_raw_tp(struct bpf_raw_tracepoint_args *ctx) {
    on_exit((void *)ctx->args[0]);
    return 0;
}
