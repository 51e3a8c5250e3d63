// SPDX-License-Identifier: GPL-2.0-or-later
// The calls besides poll by which a server may check its client's socket:
// select of one descriptor, epoll_wait of a set that holds the socket, recv
// that only peeks; each without waiting. They count as break polls in
// executables whose rule names them (`rules`), in others as other polls. None
// of them comes anywhere near as often as Oracle's poll, so one form serves
// every kernel.
#ifndef POLLTRACE_CHECKS_BPF_H
#define POLLTRACE_CHECKS_BPF_H

#include "kernel/epoll_set.bpf.h"
#include "kernel/poll.bpf.h"

#define NR_SELECT 23
#define NR_RECVFROM 45
#define NR_RECVMSG 47
#define NR_EPOLL_WAIT 232
#define NR_PSELECT6 270
#define NR_EPOLL_PWAIT 281
#define NR_EPOLL_PWAIT2 441

#define PEEK_AND_DONTWAIT 0x42 // MSG_PEEK, MSG_DONTWAIT
#define SET_WORDS 16           // FD_SETSIZE
#define CALL_ARGUMENTS 5

// The arguments as passed: not checked yet.
struct any_call {
    long nr;
    __u64 argument[CALL_ARGUMENTS];
    struct pt_regs *regs; // NULL: on the kernel stack
};

// enum check_call; 0: none of these.
static __always_inline __u32 call_of(long nr) {
    if (nr == NR_EPOLL_WAIT || nr == NR_EPOLL_PWAIT || nr == NR_EPOLL_PWAIT2)
        return CALL_EPOLL;
    if (nr == NR_RECVFROM || nr == NR_RECVMSG)
        return CALL_RECV;
    return nr == NR_SELECT || nr == NR_PSELECT6 ? CALL_SELECT : 0;
}

// A timeval or a timespec of a 64-bit program.
static __always_inline bool is_zero_time(__u64 user) {
    return is_zero_timespec(user, NR_PPOLL);
}

static __always_inline bool is_peek(const struct any_call *call) {
    __u64 flags = call->argument[call->nr == NR_RECVMSG ? 2 : 3];

    return (flags & PEEK_AND_DONTWAIT) == PEEK_AND_DONTWAIT;
}

static __always_inline __u32 lowest_bit(__u64 bits) {
    __u32 place = 0;

#pragma unroll
    for (__u32 step = 32; step; step /= 2) {
        if (!(bits & ((1ull << step) - 1))) {
            bits >>= step;
            place += step;
        }
    }
    return place;
}

// Which descriptors a set holds, in arithmetic: the verifier follows branches.
struct fd_set_sum {
    __u64 bits;  // of all words together
    __u32 words; // that are not 0
    __u32 from;  // the first descriptor of that word
};

static __noinline int add_set(struct fd_set_sum *sum, __u64 set, __u32 below) {
    __u64 bits[SET_WORDS] = {};
    __u32 size = (below + 63) / 64 * 8;

    if (!set || size > sizeof(bits))
        return 0;
    if (bpf_probe_read_user(bits, size, (void *)set))
        lose(LOST_USER_READS);
#pragma unroll
    for (__u32 word = 0; word < SET_WORDS; word++) {
        __u64 here = bits[word], minus = -here;
        __u32 any;

        barrier_var(minus); // or the compiler makes a branch of it
        any = (here | minus) >> 63;

        sum->bits |= here;
        sum->words += any;
        sum->from += any * word * 64;
    }
    return 0;
}

// The one descriptor that the call asks about; -1: none, or several. One that
// is in two sets counts as several.
static __always_inline long only_selected(const struct any_call *call) {
    struct fd_set_sum sum = {};
    __u32 below = call->argument[0];
    long fd;

    for (int i = 1; i <= 3; i++)
        add_set(&sum, call->argument[i], below);
    if (sum.words != 1 || sum.bits & (sum.bits - 1))
        return -1;
    fd = sum.from + lowest_bit(sum.bits);
    return fd < below ? fd : -1; // the kernel does not look at the rest
}

// The open file that the call checks without waiting; inode 0: none.
static __noinline int checked_file(struct task_struct *task,
                                   const struct any_call *call,
                                   struct open_file *open) {
    __u32 kind = call_of(call->nr);
    long fd = -1;

    *open = (struct open_file){};
    if (kind == CALL_RECV)
        fd = call->argument[0];
    else if (kind == CALL_SELECT && call->argument[0] <= SET_WORDS * 64 &&
             is_zero_time(call->argument[4]))
        fd = only_selected(call);
    else if (kind == CALL_EPOLL &&
             (call->nr == NR_EPOLL_PWAIT2 ? is_zero_time(call->argument[3])
                                          : !(int)call->argument[3]))
        return socket_of_set(task, call->argument[0], open);
    if (fd < 0)
        return -1;
    open_file(task, fd, open, false);
    return fd;
}

// Returns whether it was a break poll.
static __noinline int count_call(void *ctx, struct task_struct *task,
                                 __u32 index, const struct any_call *call) {
    struct slot *slot = bpf_map_lookup_elem(&slots, &index);
    struct open_file open;
    __u32 kind = call_of(call->nr);
    int fd = -1;

    if (!slot || (kind == CALL_RECV && !is_peek(call)))
        return 0;
    if (slot->checks & kind)
        fd = checked_file(task, call, &open);
    if (fd < 0) {
        __sync_fetch_and_add(&slot->other_polls, 1);
        return 0;
    }
    if (!count_file(&open, index, fd))
        return 0;
    if (bursts_wanted)
        burst_poll(index);
    if (stack_stride && --slot->until_stack <= 0)
        sample_poll(ctx, task, index, call->regs);
    return 1;
}

#endif
