// SPDX-License-Identifier: GPL-2.0-or-later
// The programs. Each variant reads its own kind of context and hands over to
// the same code; the loader loads one variant, and of that only the programs
// that the mode needs. Every program comes twice: as `name`, for any kernel,
// and as `name_cast`, which reads kernel memory directly (see kernel.bpf.h).
#include "kernel/entry.bpf.h"
#include "kernel/off_cpu.bpf.h"
#include "kernel/poke.bpf.h"
#include "kernel/windows.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define BOTH(section, name, body, ...)                                         \
    SEC(section) int name(__u64 *ctx) {                                        \
        return body(ctx, ##__VA_ARGS__, false);                                \
    }                                                                          \
    SEC(section) int name##_cast(__u64 *ctx) {                                 \
        return body(ctx, ##__VA_ARGS__, true);                                 \
    }

// Break polls.
BOTH("fentry/__x64_sys_poll", fentry_poll, enter_fentry, NR_POLL)
BOTH("fentry/__x64_sys_ppoll", fentry_ppoll, enter_fentry, NR_PPOLL)
BOTH("tp_btf/sys_enter", tp_btf_enter, enter_btf)
BOTH("raw_tp/sys_enter", raw_tp_enter, enter_raw)
BOTH("kprobe/__x64_sys_poll", kprobe_poll, enter_kprobe, NR_POLL)
BOTH("kprobe/__x64_sys_ppoll", kprobe_ppoll, enter_kprobe, NR_PPOLL)

// The other calls by which a server may check its client's socket.
BOTH("fentry/__x64_sys_select", fentry_select, enter_fentry_call, NR_SELECT)
BOTH("fentry/__x64_sys_pselect6", fentry_pselect6, enter_fentry_call,
     NR_PSELECT6)
BOTH("fentry/__x64_sys_epoll_wait", fentry_epoll_wait, enter_fentry_call,
     NR_EPOLL_WAIT)
BOTH("fentry/__x64_sys_epoll_pwait", fentry_epoll_pwait, enter_fentry_call,
     NR_EPOLL_PWAIT)
BOTH("fentry/__x64_sys_epoll_pwait2", fentry_epoll_pwait2, enter_fentry_call,
     NR_EPOLL_PWAIT2)
BOTH("fentry/__x64_sys_recvfrom", fentry_recvfrom, enter_fentry_call,
     NR_RECVFROM)
BOTH("fentry/__x64_sys_recvmsg", fentry_recvmsg, enter_fentry_call, NR_RECVMSG)
BOTH("kprobe/__x64_sys_select", kprobe_select, enter_kprobe_call, NR_SELECT)
BOTH("kprobe/__x64_sys_pselect6", kprobe_pselect6, enter_kprobe_call,
     NR_PSELECT6)
BOTH("kprobe/__x64_sys_epoll_wait", kprobe_epoll_wait, enter_kprobe_call,
     NR_EPOLL_WAIT)
BOTH("kprobe/__x64_sys_epoll_pwait", kprobe_epoll_pwait, enter_kprobe_call,
     NR_EPOLL_PWAIT)
BOTH("kprobe/__x64_sys_epoll_pwait2", kprobe_epoll_pwait2, enter_kprobe_call,
     NR_EPOLL_PWAIT2)
BOTH("kprobe/__x64_sys_recvfrom", kprobe_recvfrom, enter_kprobe_call,
     NR_RECVFROM)
BOTH("kprobe/__x64_sys_recvmsg", kprobe_recvmsg, enter_kprobe_call, NR_RECVMSG)

// By 32-bit programs; the tp_btf and raw_tp programs see them too.
BOTH("fentry/__ia32_sys_poll", fentry_poll_32, enter_fentry_32, NR_POLL_32)
BOTH("fentry/__ia32_compat_sys_ppoll_time32", fentry_ppoll_time32,
     enter_fentry_32, NR_PPOLL_TIME32)
BOTH("fentry/__ia32_compat_sys_ppoll_time64", fentry_ppoll_time64,
     enter_fentry_32, NR_PPOLL_TIME64)
BOTH("kprobe/__ia32_sys_poll", kprobe_poll_32, enter_kprobe_32, NR_POLL_32)
BOTH("kprobe/__ia32_compat_sys_ppoll_time32", kprobe_ppoll_time32,
     enter_kprobe_32, NR_PPOLL_TIME32)
BOTH("kprobe/__ia32_compat_sys_ppoll_time64", kprobe_ppoll_time64,
     enter_kprobe_32, NR_PPOLL_TIME64)

// Their ends, in time mode.
BOTH("fexit/__x64_sys_poll", fexit_poll, leave)
BOTH("fexit/__x64_sys_ppoll", fexit_ppoll, leave)
BOTH("fexit/__ia32_sys_poll", fexit_poll_32, leave)
BOTH("fexit/__ia32_compat_sys_ppoll_time32", fexit_ppoll_time32, leave)
BOTH("fexit/__ia32_compat_sys_ppoll_time64", fexit_ppoll_time64, leave)
BOTH("tp_btf/sys_exit", tp_btf_leave, leave_btf)
BOTH("raw_tp/sys_exit", raw_tp_leave, leave_raw)
BOTH("fexit/__x64_sys_select", fexit_select, leave)
BOTH("fexit/__x64_sys_pselect6", fexit_pselect6, leave)
BOTH("fexit/__x64_sys_epoll_wait", fexit_epoll_wait, leave)
BOTH("fexit/__x64_sys_epoll_pwait", fexit_epoll_pwait, leave)
BOTH("fexit/__x64_sys_epoll_pwait2", fexit_epoll_pwait2, leave)
BOTH("fexit/__x64_sys_recvfrom", fexit_recvfrom, leave)
BOTH("fexit/__x64_sys_recvmsg", fexit_recvmsg, leave)

// Every system call.
BOTH("tp_btf/sys_enter", tp_btf_all, enter_all_btf)
BOTH("tp_btf/sys_exit", tp_btf_all_leave, leave_all_btf)
BOTH("raw_tp/sys_enter", raw_tp_all, enter_all_raw)
BOTH("raw_tp/sys_exit", raw_tp_all_leave, leave_all_raw)

// Off-CPU time.
BOTH("tp_btf/sched_switch", tp_btf_switch, off_switch)
BOTH("tp_btf/sched_wakeup", tp_btf_wakeup, off_wakeup)
BOTH("tp_btf/sched_wakeup_new", tp_btf_wakeup_new, off_born)
BOTH("raw_tp/sched_switch", raw_tp_switch, off_switch)
BOTH("raw_tp/sched_wakeup", raw_tp_wakeup, off_wakeup)
BOTH("raw_tp/sched_wakeup_new", raw_tp_wakeup_new, off_born)

// Run by the loader over all tasks, once the others are attached.
SEC("iter/task")
int seed_threads(struct bpf_iter__task *ctx) {
    struct task_struct *task = ctx->task; // loaded once: the check is of a copy

    return task ? seed_thread(task) : 0;
}

// Births and ends: rare, so one form serves every kernel.
SEC("raw_tp/sched_process_fork")
int life_fork(__u64 *ctx) {
    on_fork((void *)ctx[0], (void *)ctx[1]);
    return 0;
}

SEC("raw_tp/sched_process_exec")
int life_exec(__u64 *ctx) {
    off_exec((void *)ctx[0], ctx[1]);
    on_exec((void *)ctx[0]);
    return 0;
}

SEC("raw_tp/sched_process_exit")
int life_exit(__u64 *ctx) {
    off_exit((void *)ctx[0]);
    on_exit((void *)ctx[0]);
    return 0;
}

// Run by the loader in a PID namespace: pairs of (the kernel's id, our id).
SEC("iter/task")
int life_translate(struct bpf_iter__task *ctx) {
    struct task_struct *task = ctx->task, *self = bpf_get_current_task_btf();
    struct pid *pid = self->thread_pid;
    struct upid *level = &pid->numbers[0];
    __u32 pair[2];

    if (!task || task->pid != task->tgid)
        return 0;
    our_level = BPF_CORE_READ(pid, level);
    level = (void *)level + our_level * bpf_core_type_size(struct upid);
    our_namespace = (__u64)BPF_CORE_READ(level, ns);
    pair[0] = task->tgid;
    pair[1] = pid_here(task);
    bpf_seq_write(ctx->meta->seq, pair, sizeof(pair));
    return 0;
}

// Run by the loader where it cannot map memory.
SEC("socket")
int loader_poke(struct __sk_buff *packet) {
    store_poke(packet);
    return 0;
}

// On the first instruction of a user function, for a moment.
SEC("uprobe")
int function_call(void *ctx) {
    burst_call();
    return 0;
}

// Which task each CPU runs while a window is open.
SEC("raw_tp/sched_switch")
int window_switch(__u64 *ctx) {
    run_on_cpu((void *)ctx[2]);
    return 0;
}

// Run by the loader on each CPU.
SEC("raw_tp")
int window_mark(void *ctx) {
    run_on_cpu((void *)bpf_get_current_task());
    return 0;
}

// On-CPU samples of the watch mode.
SEC("perf_event")
int cpu_sample(void *ctx) {
    struct task_struct *task = (void *)bpf_get_current_task();
    __u32 index;
    struct slot *slot = find_slot(bpf_get_current_pid_tgid() >> 32, &index);

    // A task without memory is exiting and no longer executes its program.
    if (!slot || !BPF_CORE_READ(task, mm))
        return 0;
    __sync_fetch_and_add(&slot->cpu_samples, 1);
    sample_stack(ctx, task, index, NULL, 0);
    return 0;
}
