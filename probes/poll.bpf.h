// SPDX-License-Identifier: GPL-2.0-or-later
// Counting one poll. Its arguments are whatever the process passed.
#ifndef POLLTRACE_POLL_BPF_H
#define POLLTRACE_POLL_BPF_H

#include "bursts.bpf.h"
#include "classify.bpf.h"
#include "slots.bpf.h"
#include "stride.bpf.h"
#include "user_word.bpf.h"

#define NR_POLL 7
#define NR_PPOLL 271
#define TS_COMPAT 2 // a 32-bit system call: other numbers, other structures

// What was passed, as it was passed.
struct poll_call {
    long nr;
    __u64 fds;
    __u32 nfds;
    __u64 wait;           // milliseconds, or the address of a timespec
    struct pt_regs *regs; // NULL: to be found
};

static __always_inline bool is_zero_timespec(__u64 user) {
    __u64 timespec[2];

    if (!user)
        return false; // waits for ever
    if (bpf_probe_read_user(timespec, sizeof(timespec), (void *)user)) {
        lose(LOST_USER_READS);
        return false;
    }
    return !(timespec[0] | timespec[1]);
}

static __always_inline bool is_single_and_now(const struct poll_call *call) {
    if (call->nfds != 1)
        return false;
    if (call->nr == NR_POLL)
        return !(int)call->wait;
    return is_zero_timespec(call->wait);
}

// First sight of an open file, or one that found no way: the long way round.
// Returns whether it was a break poll.
static __noinline int count_endpoint(struct task_struct *task, __u32 index,
                                     __u32 fd) {
    struct slot *slot = bpf_map_lookup_elem(&slots, &index);
    struct endpoint_key key = {.slot = index, .fd = fd};
    struct open_file open;
    struct endpoint seen, *end;
    __u32 way = fd % FD_WAYS;

    if (!slot)
        return 0;
    open_file(task, fd, &open, false);
    classify(&open, &seen);
    key.inode = open.inode;
    key.ino = open.ino;
    key.connected = seen.connected;
    end = bpf_map_lookup_elem(&endpoints, &key);
    if (!end) {
        bpf_map_update_elem(&endpoints, &key, &seen, BPF_NOEXIST);
        end = bpf_map_lookup_elem(&endpoints, &key);
    }
    if (end)
        __sync_fetch_and_add(&end->polls, 1);
    else
        lose(LOST_ENDPOINTS); // counted all the same, but not which socket
    if (seen.connected)
        __sync_fetch_and_add(&slot->long_breaks, 1);
    else
        __sync_fetch_and_add(&slot->other_polls, 1);
    // A stream socket without a peer may get one: its verdict is not kept.
    if (open.inode && !slot->way[way].inode &&
        (seen.connected || seen.kind >= END_OTHER_SOCKET) &&
        claim(CLAIM_WAY, index * FD_WAYS + way)) {
        slot->way[way].fd = fd;
        slot->way[way].ino = open.ino;
        slot->way[way].breaks = seen.connected;
        slot->way[way].inode = open.inode; // last: from here on it is used
    }
    return seen.connected;
}

static __always_inline bool count_single(struct task_struct *task,
                                         struct slot *slot, __u32 index,
                                         __u32 fd, const bool cast) {
    struct way *way = &slot->way[fd % FD_WAYS];
    struct open_file open;

    open_file(task, fd, &open, cast);
    if (way->fd == fd && way->inode == open.inode && way->ino == open.ino &&
        open.inode) {
        __sync_fetch_and_add(&way->polls, 1);
        return way->breaks;
    }
    return count_endpoint(task, index, fd);
}

// Returns whether it was a break poll.
static __always_inline bool count_poll(void *ctx, struct task_struct *task,
                                       struct slot *slot, __u32 index,
                                       const struct poll_call *call,
                                       const bool cast) {
    __u32 fd;

    if (!is_single_and_now(call)) {
        __sync_fetch_and_add(&slot->other_polls, 1);
        return false;
    }
    if (read_user_word(task, call->fds, &fd, cast)) {
        lose(LOST_USER_READS);
        __sync_fetch_and_add(&slot->other_polls, 1);
        return false;
    }
    if (!count_single(task, slot, index, fd, cast))
        return false;
    if (bursts_wanted)
        burst_poll(index);
    if (stack_stride && --slot->until_stack <= 0)
        sample_poll(ctx, task, index, call->regs);
    return true;
}

#endif
