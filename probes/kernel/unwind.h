// SPDX-License-Identifier: GPL-2.0-or-later
// Unwind tables: the rules of .eh_frame in a form that a BPF program can
// search, shared by the loader, the BPF programs and their test in user space.
#ifndef POLLTRACE_UNWIND_H
#define POLLTRACE_UNWIND_H

#include <linux/types.h>

// Code is divided into pages. Each page has rows of its own, in the order of
// their addresses; the first holds at the page's first byte.
#define UNWIND_PAGE_BITS 12
#define UNWIND_PAGE (1u << UNWIND_PAGE_BITS)
#define UNWIND_PAGE_ROWS_BITS UNWIND_PAGE_BITS // a row for each byte at most

// The canonical frame address (CFA): the stack pointer before the call. The
// return address always lies 8 bytes below.
enum unwind_cfa {
    CFA_NONE,         // no rules
    CFA_RSP,          // rsp + offset
    CFA_RBP,          // rbp + offset
    CFA_RSP_INDIRECT, // the word at rsp + offset, + addend
    CFA_RBP_INDIRECT, // the word at rbp + offset, + addend
    CFA_PLT,          // rsp + 8, from `addend` of each 16 bytes on 8 more
    CFA_SIGNAL,       // the registers are in a signal's frame at rsp
    CFA_START,        // no return address: a thread begins here
    CFA_UNSUPPORTED,  // an expression of another kind
    CFA_NO_ROOM,      // the table of this code did not fit into memory
};

// The caller's rbp.
enum unwind_rbp {
    RBP_KEPT,   // unchanged
    RBP_AT_CFA, // saved at CFA + 8 * rbp
    RBP_AT_RBP, // saved at rbp + 8 * rbp
    RBP_LOST,
};

// A row is one 64-bit word. From low to high: the byte within its page from
// which it holds (16), enum unwind_cfa (4), enum unwind_rbp (4), the factor rbp
// (8, signed), the offset (16 or 32, signed), the addend (16, signed).
#define UNWIND_ROW(at, cfa, how, rbp, offset)                                  \
    ((__u64)(at) | (__u64)(cfa) << 16 | (__u64)(how) << 20 |                   \
     (__u64)(__u8)(rbp) << 24 | (__u64)(__u32)(offset) << 32)
#define UNWIND_AT(row) ((__u32)(row)&0xffff)
#define UNWIND_CFA(row) ((__u32)((row) >> 16) & 15)
#define UNWIND_RBP(row) ((__u32)((row) >> 20) & 15)
#define UNWIND_RBP_FACTOR(row) ((__s64)(__s8)((row) >> 24))
#define UNWIND_OFFSET(row) ((__s64)(__s32)((row) >> 32))
#define UNWIND_SHORT_OFFSET(row) ((__s64)(__s16)((row) >> 32))
#define UNWIND_ADDEND(row) ((__s64)(__s16)((row) >> 48))
// Without the address: two rows of one rule are alike.
#define UNWIND_RULE(row) ((row) & ~0xffffull)

// The rows of a page, in the array of all rows.
struct unwind_page {
    __u32 first, count;
};

enum unwind_mapped {
    MAPPED_TABLE,    // `page` is the table's page for its first byte
    MAPPED_NO_RULES, // no .eh_frame, or memory that is no file
    MAPPED_NO_ROOM,
};

struct unwind_mapping {
    __u64 end;
    __u32 page;   // index in the array of pages
    __u32 mapped; // enum unwind_mapped
};

// The executable mappings of a process, by address. Unused ones start at the
// highest address.
#define LAYOUT_MAPPINGS 128
struct unwind_layout {
    __u64 start[LAYOUT_MAPPINGS];
    struct unwind_mapping mapping[LAYOUT_MAPPINGS];
};

// A walk along a stack, and where it stands.
struct unwind_state {
    __u64 pc, sp, bp;
    __u32 layout;  // index in the array of layouts
    __u32 mapping; // that holds pc, index in the layout
    __u32 exact;   // 1: pc is where the thread stood, not a return address
    __u32 bp_lost; // 1: rbp is not known
    __u32 signal;  // 1: pc is the code that a signal handler returns to
    __u32 pad;
    __u64 found; // ADDRESS_BY_POINTER or ADDRESS_BY_SIGNAL: of pc
};

#endif
