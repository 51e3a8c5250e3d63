// SPDX-License-Identifier: GPL-2.0-or-later
// The calls besides poll by which a server may check its client's socket:
// select of one descriptor, epoll_wait of a set that holds the socket, recv
// that only peeks; each without waiting. They count as break polls in
// executables whose rule names them (`rules`), in others as other polls.
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
    __u64 size = (below + 63ull) / 64 * 8;

    barrier_var(size); // the verifier must see the check, not the compiler
    if (!set || size > sizeof(bits))
        return 0;
    if (bpf_probe_read_user(bits, size, (void *)set))
        lose(LOST_USER_READS);
#pragma unroll
    for (__u32 word = 0; word < SET_WORDS; word++) {
        __u64 word_bits = bits[word], minus = -word_bits;
        __u32 any;

        barrier_var(minus); // or the compiler makes a branch of it
        any = (word_bits | minus) >> 63;

        sum->bits |= word_bits;
        sum->words += any;
        sum->from += any * word * 64;
    }
    return 0;
}

// The descriptor in sets of more than one word.
static __noinline int selected_of_many(__u32 below, __u64 reads, __u64 writes,
                                       __u64 excepts) {
    struct fd_set_sum sum = {};
    long fd;

    add_set(&sum, reads, below);
    add_set(&sum, writes, below);
    add_set(&sum, excepts, below);
    if (sum.words != 1 || sum.bits & (sum.bits - 1))
        return -1;
    fd = sum.from + lowest_bit(sum.bits);
    return fd < below ? fd : -1; // the kernel does not look at the rest
}

static __always_inline __u64 set_word(__u64 set) {
    __u64 word = 0;

    if (set && bpf_probe_read_user(&word, sizeof(word), (void *)set))
        lose(LOST_USER_READS);
    return word;
}

// The one descriptor that the call selects; -1: none, or several. One that
// is in two sets counts as several. Not static, as step_in_set().
__noinline int only_selected(__u64 below, __u64 reads, __u64 writes,
                             __u64 excepts) {
    __u64 mask, r, w, e, bits;

    if (!below || below > SET_WORDS * 64)
        return -1;
    if (below > 64)
        return selected_of_many(below, reads, writes, excepts);
    mask = ~0ull >> (64 - below); // the kernel does not look at the rest
    r = set_word(reads) & mask;
    w = set_word(writes) & mask;
    e = set_word(excepts) & mask;
    bits = r | w | e;
    if (!bits || bits & (bits - 1) || !!r + !!w + !!e != 1)
        return -1;
    return lowest_bit(bits);
}

static __always_inline bool waits_in_set(const struct any_call *call) {
    if (call->nr == NR_EPOLL_PWAIT2)
        return !is_zero_time(call->argument[3]);
    return (int)call->argument[3];
}

static __always_inline bool count_set(struct task_struct *task,
                                      struct slot *slot, __u32 index,
                                      __u32 epfd, const bool cast) {
    struct open_file open;
    int fd = socket_of_set(task, epfd, &open, cast);
    struct way *way;

    if (fd < 0)
        return count_other(slot);
    way = count_way(slot, fd, &open);
    return way ? way->breaks : count_file(&open, index, fd);
}

static __always_inline bool count_checked(struct task_struct *task,
                                          struct slot *slot, __u32 index,
                                          const struct any_call *call,
                                          const bool cast) {
    __u32 kind = call_of(call->nr);
    const __u64 *arg = call->argument;
    int fd;

    if (!(slot->checks & kind))
        return count_other(slot);
    if (kind == CALL_EPOLL)
        return waits_in_set(call)
                   ? count_other(slot)
                   : count_set(task, slot, index, call->argument[0], cast);
    if (kind == CALL_RECV)
        fd = arg[0];
    else if (!is_zero_time(arg[4]))
        fd = -1;
    else
        fd = only_selected(arg[0], arg[1], arg[2], arg[3]);
    if (kind != CALL_RECV && fd < 0)
        return count_other(slot);
    return count_single(task, slot, index, fd, cast);
}

// Returns whether it was a break poll.
static __always_inline bool count_call(void *ctx, struct task_struct *task,
                                       struct slot *slot, __u32 index,
                                       const struct any_call *call,
                                       const bool cast) {
    if (call_of(call->nr) == CALL_RECV && !is_peek(call))
        return false;
    if (!count_checked(task, slot, index, call, cast))
        return false;
    sample_break(ctx, task, slot, index, call->regs);
    return true;
}

#endif
