// SPDX-License-Identifier: GPL-2.0-or-later
// Which processes are watched, and their lives: fork, exec, exit.
#ifndef POLLTRACE_SLOTS_BPF_H
#define POLLTRACE_SLOTS_BPF_H

#include "kernel/maps.bpf.h"

// The filter of every hot path: two array lookups, which the verifier
// inlines, and eight compares.
static __always_inline struct slot *find_slot(__u32 tgid, __u32 *index) {
    __u32 row = tgid & bucket_mask;
    struct bucket *bucket = bpf_map_lookup_elem(&buckets, &row);

    // A free way holds 0, which is also the id of a CPU's idle task.
    if (!bucket || !tgid)
        return NULL;
#pragma unroll
    for (__u32 place = 0; place < BUCKET_WAYS; place++) {
        if (bucket->tgid[place] == tgid) {
            *index = row * BUCKET_WAYS + place;
            return bpf_map_lookup_elem(&slots, index);
        }
    }
    return NULL;
}

static __always_inline __u64 start_of(struct task_struct *leader) {
    struct task_struct___old *old = (void *)leader;

    if (bpf_core_field_exists(leader->start_boottime))
        return BPF_CORE_READ(leader, start_boottime);
    return BPF_CORE_READ(old, real_start_time);
}

// The process's id as the loader sees it; 0 when it is not in its namespace.
static __always_inline __u32 pid_here(struct task_struct *leader) {
    struct upid *level;
    struct pid *pid;

    if (!in_namespace)
        return BPF_CORE_READ(leader, tgid);
    if (!bpf_core_field_exists(leader->thread_pid)) // before Linux 4.19
        return 0;
    pid = BPF_CORE_READ(leader, thread_pid);
    level = &pid->numbers[0];
    if (BPF_CORE_READ(pid, level) < our_level)
        return 0;
    level = (void *)level + our_level * bpf_core_type_size(struct upid);
    if ((__u64)BPF_CORE_READ(level, ns) != our_namespace)
        return 0;
    return BPF_CORE_READ(level, nr);
}

// The calls that are break checks in the executable of a process. Servers that
// were forked still have their listener's title, but its executable from the
// start.
static __noinline int checks_of(struct task_struct *task) {
    struct dentry *dentry = BPF_CORE_READ(task, mm, exe_file, f_path.dentry);
    struct executable key = {};
    __u32 *calls;

    bpf_probe_read_kernel_str(key.name, sizeof(key.name),
                              BPF_CORE_READ(dentry, d_name.name));
    calls = bpf_map_lookup_elem(&rules, &key);
    return calls ? *calls : CALL_POLL;
}

// Watches a process that is being born: before its first system call.
static __noinline int adopt(struct task_struct *task, __u32 born,
                            __u32 parent_image) {
    struct task_struct *leader = BPF_CORE_READ(task, group_leader);
    __u32 tgid = BPF_CORE_READ(task, tgid);
    __u32 row = tgid & bucket_mask;
    struct bucket *bucket = bpf_map_lookup_elem(&buckets, &row);

    if (!bucket || !claim(CLAIM_TGID, tgid))
        return 0;
    for (__u32 place = 0; place < BUCKET_WAYS; place++) {
        __u32 index = row * BUCKET_WAYS + place;
        struct slot *slot;

        if (!claim(CLAIM_SLOT, index))
            continue;
        slot = bpf_map_lookup_elem(&slots, &index);
        if (!slot)
            break;
        slot->tgid = tgid;
        slot->pid = pid_here(leader);
        slot->born = born;
        slot->checks = checks_of(task);
        slot->image = parent_image;
        slot->parent = BPF_CORE_READ(task, real_parent, tgid);
        slot->start_ns = start_of(leader);
        slot->until_stack = 1;
        BPF_CORE_READ_INTO(&slot->comm, leader, comm);
        slot->state = SLOT_LIVE;
        bucket->tgid[place] = tgid;
        return 1;
    }
    unclaim(CLAIM_TGID, tgid);
    lose(LOST_PROCESSES);
    return 0;
}

static __always_inline void on_fork(struct task_struct *parent,
                                    struct task_struct *child) {
    __u32 tgid = BPF_CORE_READ(child, tgid), index;
    struct slot *from;

    if ((__u32)BPF_CORE_READ(child, pid) != tgid)
        return; // a thread: counted with its process
    from = find_slot(BPF_CORE_READ(parent, tgid), &index);
    if (adopt_all || (follow_forks && from))
        adopt(child, BORN_FORKED, from ? from->image : 0);
}

static __always_inline void on_exec(struct task_struct *task) {
    __u32 index;
    struct slot *slot = find_slot(BPF_CORE_READ(task, tgid), &index);

    if (slot) {
        slot->image = 0; // the loader reads the new layout and names it
        slot->execs++;
        slot->checks = checks_of(task);
        BPF_CORE_READ_INTO(&slot->comm, task, comm);
    } else if (adopt_all) {
        adopt(task, BORN_EXECED, 0);
    }
}

static __always_inline void on_exit(struct task_struct *task) {
    __u32 tgid = BPF_CORE_READ(task, tgid), row = tgid & bucket_mask, index;
    struct slot *slot = find_slot(tgid, &index);
    struct bucket *bucket;

    // The kernel lowers `live` before this tracepoint: 0 in the last thread.
    if (!slot || BPF_CORE_READ(task, signal, live.counter))
        return;
    slot->exit_cpu_ns = BPF_CORE_READ(task, signal, sum_sched_runtime) +
                        BPF_CORE_READ(task, se.sum_exec_runtime);
    BPF_CORE_READ_INTO(&slot->comm, task, group_leader, comm);
    bucket = bpf_map_lookup_elem(&buckets, &row);
    if (bucket)
        bucket->tgid[index % BUCKET_WAYS] = 0;
    slot->state = SLOT_GONE;
    unclaim(CLAIM_TGID, tgid);
}

#endif
