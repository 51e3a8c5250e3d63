// SPDX-License-Identifier: GPL-2.0-or-later
// One step of a walk along a user stack: from a function to its caller.
// Compiled into the BPF programs, and into a test in user space. Memory, tables
// and mappings are reached by three functions that the including file defines.
#ifndef POLLTRACE_UNWIND_STEP_H
#define POLLTRACE_UNWIND_STEP_H

#include "kernel/records.h"
#include "kernel/unwind.h"

// Copies from the thread's memory; 0, or an error.
static __always_inline long unwind_read(void *into, __u32 size, __u64 address);
// The mapping that holds an address, by its number in the layout; -1: none.
int unwind_mapping_of(__u32 layout, __u64 address);
// The row for an address in a mapping.
__u64 unwind_row_of(__u32 layout, __u32 mapping, __u64 address);

// Offsets in the kernel's struct rt_sigframe, behind the return address.
#define SIGNAL_RBP 120
#define SIGNAL_RSP 160 // rip follows

// The last 8 bytes before a return address, the last byte uppermost.
static __always_inline int is_call(__u64 code) {
    __u32 b1 = code >> 56, b2 = (code >> 48) & 0xff, b3 = (code >> 40) & 0xff,
          b4 = (code >> 32) & 0xff, b5 = (code >> 24) & 0xff,
          b6 = (code >> 16) & 0xff, b7 = (code >> 8) & 0xff;

    if (b5 == 0xe8) // call rel32
        return 1;
    // ff /2, by the length of what follows the opcode.
    if (b2 == 0xff && ((b1 & 0xf8) == 0xd0 ||
                       ((b1 & 0xf8) == 0x10 && b1 != 0x14 && b1 != 0x15)))
        return 1;
    if (b3 == 0xff &&
        (((b2 & 0xf8) == 0x50 && b2 != 0x54) || (b2 == 0x14 && (b1 & 7) != 5)))
        return 1;
    if (b4 == 0xff && b3 == 0x54)
        return 1;
    if (b6 == 0xff && (b5 == 0x15 || ((b5 & 0xf8) == 0x90 && b5 != 0x94)))
        return 1;
    return b7 == 0xff && (b6 == 0x94 || (b6 == 0x14 && (b5 & 7) == 5));
}

// mov $15, %rax or %eax; syscall: rt_sigreturn, as every libc has it.
static __always_inline int is_sigreturn(__u64 code) {
    return code == 0x0f0000000fc0c748ull ||
           (code & 0xffffffffffffffull) == 0x050f0000000fb8ull;
}

// Takes `pc` for the caller's address if it can be one.
static __always_inline __u32 unwind_accept(struct unwind_state *s, __u64 pc,
                                           int must_follow_call) {
    int mapping = unwind_mapping_of(s->layout, pc - 1);
    __u64 code = 0;

    if (mapping < 0)
        return STOP_NOT_CODE;
    s->signal = 0;
    if (unwind_read(&code, sizeof(code), pc - sizeof(code))) {
        if (must_follow_call)
            return STOP_NOT_CALL;
    } else if (!is_call(code)) {
        code = 0;
        unwind_read(&code, sizeof(code), pc);
        if (!is_sigreturn(code))
            return STOP_NOT_CALL;
        s->signal = 1;
    }
    s->mapping = mapping;
    s->pc = pc;
    s->exact = 0;
    return STOP_UNKNOWN;
}

// From a signal's frame to where the thread was interrupted: on any stack.
static __always_inline __u32 unwind_signal(struct unwind_state *s) {
    __u64 saved[2], bp;
    int mapping;

    if (unwind_read(&bp, sizeof(bp), s->sp + SIGNAL_RBP) ||
        unwind_read(saved, sizeof(saved), s->sp + SIGNAL_RSP))
        return STOP_UNREADABLE;
    mapping = unwind_mapping_of(s->layout, saved[1]);
    if (mapping < 0)
        return STOP_NOT_CODE;
    s->mapping = mapping;
    s->pc = saved[1];
    s->sp = saved[0];
    s->bp = bp;
    s->bp_lost = s->signal = 0;
    s->exact = 1;
    s->found = ADDRESS_BY_SIGNAL;
    return STOP_UNKNOWN;
}

// Where there are no rules: by the frame pointer, a guess that must at least
// lead to a call. `why` there are none.
static __always_inline __u32 unwind_pointer(struct unwind_state *s, __u32 why) {
    __u64 frame[2], bp = s->bp;

    if (s->bp_lost || bp < s->sp || bp & 7 ||
        unwind_read(frame, sizeof(frame), bp) ||
        unwind_accept(s, frame[1], 1) != STOP_UNKNOWN)
        return why;
    s->sp = bp + 16;
    s->bp = frame[0];
    s->found = ADDRESS_BY_POINTER;
    return STOP_UNKNOWN;
}

// STOP_UNKNOWN: the state is now the caller's.
static __always_inline __u32 unwind_step(struct unwind_state *s) {
    __u64 row, cfa, word, frame[2] = {0, 0}, bp = s->bp;
    __u32 kind, how, lost = s->bp_lost, stop;

    s->found = 0;
    if (s->signal)
        return unwind_signal(s);
    row = unwind_row_of(s->layout, s->mapping, s->pc - !s->exact);
    kind = UNWIND_CFA(row);
    how = UNWIND_RBP(row);
    if (kind == CFA_START)
        return STOP_START;
    if (kind == CFA_SIGNAL)
        return unwind_signal(s);
    if (kind == CFA_NONE)
        return unwind_pointer(s, STOP_NO_RULES);
    if (kind == CFA_NO_ROOM)
        return unwind_pointer(s, STOP_NO_ROOM);
    if (kind == CFA_UNSUPPORTED)
        return STOP_UNSUPPORTED;
    if ((kind == CFA_RBP || kind == CFA_RBP_INDIRECT) && lost)
        return STOP_UNSUPPORTED;
    if (kind == CFA_RSP) {
        cfa = s->sp + UNWIND_OFFSET(row);
    } else if (kind == CFA_RBP) {
        cfa = bp + UNWIND_OFFSET(row);
    } else if (kind == CFA_PLT) {
        cfa = s->sp + 8;
        if ((__s64)(s->pc & 15) >= UNWIND_ADDEND(row))
            cfa += 8;
    } else {
        word =
            (kind == CFA_RSP_INDIRECT ? s->sp : bp) + UNWIND_SHORT_OFFSET(row);
        if (unwind_read(&cfa, sizeof(cfa), word))
            return STOP_UNREADABLE;
        cfa += UNWIND_ADDEND(row);
    }
    if (cfa <= s->sp)
        return STOP_NO_PROGRESS;
    // The caller's rbp mostly lies below the return address.
    if (unwind_read(frame, sizeof(frame), cfa - sizeof(frame)))
        return STOP_UNREADABLE;
    if (how == RBP_LOST) {
        lost = 1;
    } else if (how == RBP_AT_CFA && UNWIND_RBP_FACTOR(row) == -2) {
        bp = frame[0];
        lost = 0;
    } else if (how != RBP_KEPT) {
        if (how == RBP_AT_RBP && lost)
            return STOP_UNSUPPORTED;
        word = (how == RBP_AT_CFA ? cfa : bp) + UNWIND_RBP_FACTOR(row) * 8;
        if (unwind_read(&bp, sizeof(bp), word))
            return STOP_UNREADABLE;
        lost = 0;
    }
    stop = unwind_accept(s, frame[1], 0);
    if (stop != STOP_UNKNOWN)
        return stop;
    s->sp = cfa;
    s->bp = bp;
    s->bp_lost = lost;
    return STOP_UNKNOWN;
}

#endif
