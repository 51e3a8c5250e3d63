// SPDX-License-Identifier: GPL-2.0-or-later
// Every system call of a watched process: calls, errors, time.
#ifndef POLLTRACE_SYSCALLS_BPF_H
#define POLLTRACE_SYSCALLS_BPF_H

#include "kernel/maps.bpf.h"

#define NR_EXIT 60
#define NR_EXIT_GROUP 231
#define NR_CLONE 56
#define NR_VFORK 58
#define NR_CLONE3 435
#define MAX_ERRNO 4095

static __noinline int add_syscall(__u32 slot, __u32 nr, __u64 ns, __u32 error) {
    struct syscall_key key = {.slot = slot, .nr = nr};
    struct syscall_count zero = {}, *count;

    count = bpf_map_lookup_elem(&syscalls, &key);
    if (!count) {
        bpf_map_update_elem(&syscalls, &key, &zero, BPF_NOEXIST);
        count = bpf_map_lookup_elem(&syscalls, &key);
    }
    if (!count) {
        lose(LOST_SYSCALLS);
        return 0;
    }
    __sync_fetch_and_add(&count->calls, 1);
    __sync_fetch_and_add(&count->ns, ns);
    if (error)
        __sync_fetch_and_add(&count->errors, 1);
    return 0;
}

static __always_inline void start_syscall(__u32 slot, __u32 tid, __u32 nr) {
    __u32 place = tid & started_mask;
    struct started *start = bpf_map_lookup_elem(&started, &place);

    if (nr == NR_EXIT || nr == NR_EXIT_GROUP)
        add_syscall(slot, nr, 0, 0); // these do not return
    if (!start)
        return;
    start->tid = tid;
    start->nr = nr;
    start->ns = bpf_ktime_get_ns();
}

static __always_inline void end_syscall(__u32 slot, __u32 tid, __u32 nr,
                                        long ret, __u64 now) {
    __u64 took = 0;
    __u32 place = tid & started_mask;
    struct started *start = bpf_map_lookup_elem(&started, &place);

    if (start && start->tid == tid) {
        nr = start->nr; // rt_sigreturn has wiped its number from the registers
        took = now - start->ns;
        start->tid = 0;
    } else if (!ret &&
               (nr == NR_CLONE3 || (nr >= NR_CLONE && nr <= NR_VFORK))) {
        return; // a new thread's first step: its maker made the call
    } else {
        lose(LOST_TIMES); // begun before we attached, or evicted
    }
    add_syscall(slot, nr, took, ret < 0 && ret >= -MAX_ERRNO);
}

#endif
