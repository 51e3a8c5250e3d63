// SPDX-License-Identifier: GPL-2.0-or-later
// Counts one poll. The process controls its arguments.
#ifndef POLLTRACE_POLL_BPF_H
#define POLLTRACE_POLL_BPF_H

#include "kernel/bursts.bpf.h"
#include "kernel/classify.bpf.h"
#include "kernel/slots.bpf.h"
#include "kernel/stride.bpf.h"

#define NR_POLL 7
#define NR_PPOLL 271
// The same calls of 32-bit programs (int 0x80, sysenter). Their pollfd is the
// same, their timespecs are not.
#define NR_POLL_32 168
#define NR_PPOLL_TIME32 309
#define NR_PPOLL_TIME64 414

// The arguments as passed: not checked yet.
struct poll_call {
    long nr;
    __u64 fds;
    __u32 nfds;
    __u64 wait;           // milliseconds, or the address of a timespec
    struct pt_regs *regs; // NULL: on the kernel stack
};

static __always_inline bool is_poll(long nr) {
    return nr == NR_POLL || nr == NR_PPOLL;
}

static __always_inline bool is_poll_32(long nr) {
    return nr == NR_POLL_32 || nr == NR_PPOLL_TIME32 || nr == NR_PPOLL_TIME64;
}

static __always_inline bool is_zero_timespec(__u64 user, long nr) {
    __u64 timespec[2] = {};
    __u32 size = nr == NR_PPOLL_TIME32 ? 8 : 16;

    if (!user)
        return false; // waits for ever
    if (bpf_probe_read_user(timespec, size, (void *)user)) {
        lose(LOST_USER_READS);
        return false;
    }
    // The nanoseconds of a 32-bit program have 32 bits; the rest is padding.
    if (nr == NR_PPOLL_TIME64)
        timespec[1] = (__u32)timespec[1];
    return !(timespec[0] | timespec[1]);
}

static __always_inline bool is_single_and_now(const struct poll_call *call) {
    if (call->nfds != 1)
        return false;
    if (call->nr == NR_POLL || call->nr == NR_POLL_32)
        return !(int)call->wait;
    return is_zero_timespec(call->wait, call->nr);
}

// The slow path: an open file that is seen for the first time, or that found no
// free way in the slot. Returns whether it was a break poll.
static __noinline int count_file(struct open_file *file, __u32 index,
                                 __u32 fd) {
    struct slot *slot = bpf_map_lookup_elem(&slots, &index);
    struct endpoint_key key = {.slot = index, .fd = fd};
    struct open_file open = *file;
    struct endpoint seen, *end;
    __u32 way = fd % FD_WAYS;

    if (!slot)
        return 0;
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
        lose(LOST_ENDPOINTS); // counted all the same, but not by socket
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

static __noinline int count_endpoint(struct task_struct *task, __u32 index,
                                     __u32 fd) {
    struct open_file open;

    open_file(task, fd, &open, false);
    return count_file(&open, index, fd);
}

// The way of a descriptor that has one, counted; else NULL.
static __always_inline struct way *count_way(struct slot *slot, __u32 fd,
                                             const struct open_file *open) {
    struct way *way = &slot->way[fd % FD_WAYS];

    if (way->fd != fd || way->inode != open->inode || way->ino != open->ino ||
        !open->inode)
        return NULL;
    __sync_fetch_and_add(&way->polls, 1);
    return way;
}

static __always_inline bool count_single(struct task_struct *task,
                                         struct slot *slot, __u32 index,
                                         __u32 fd, const bool cast) {
    struct open_file open;
    struct way *way;

    open_file(task, fd, &open, cast);
    way = count_way(slot, fd, &open);
    return way ? way->breaks : count_endpoint(task, index, fd);
}

static __always_inline bool count_other(struct slot *slot) {
    __sync_fetch_and_add(&slot->other_polls, 1);
    return false;
}

// Further measurements at a break poll that was counted.
static __always_inline void sample_break(void *ctx, struct task_struct *task,
                                         struct slot *slot, __u32 index,
                                         struct pt_regs *regs) {
    if (bursts_wanted)
        burst_poll(index);
    if (stack_stride && --slot->until_stack <= 0)
        sample_poll(ctx, task, index, regs);
}

// Returns whether it was a break poll.
static __always_inline bool count_poll(void *ctx, struct task_struct *task,
                                       struct slot *slot, __u32 index,
                                       const struct poll_call *call,
                                       const bool cast) {
    __u32 fd;

    if (!(slot->checks & CALL_POLL) || !is_single_and_now(call))
        return count_other(slot);
    if (bpf_probe_read_user(&fd, sizeof(fd), (void *)call->fds)) {
        lose(LOST_USER_READS);
        return count_other(slot);
    }
    if (!count_single(task, slot, index, fd, cast))
        return false;
    sample_break(ctx, task, slot, index, call->regs);
    return true;
}

#endif
