// SPDX-License-Identifier: GPL-2.0-or-later
// Reads the pollfd's descriptor from the process's memory. bpf_probe_read_user
// takes 80 to 200 ns, as much as everything else together, and exact counting
// needs it at every poll. On x86-64 the probe can walk the process's page
// tables instead and read the word in the kernel's mapping of all memory (the
// direct map). These are plain loads that read 0 where nothing is mapped;
// anything unusual takes the helper. README.md: when the walk is used, and why.
#ifndef POLLTRACE_USER_WORD_BPF_H
#define POLLTRACE_USER_WORD_BPF_H

#include "kernel/maps.bpf.h"

#define PAGE_IS_USERS 0x005 // present, and the user's
#define PAGE_HUGE 0x080
#define PAGE_SPECIAL 0x200 // device memory and the like
#define USER_ADDRESS_BITS 47

static __always_inline __u64 word_at(__u64 address) {
    return AS(load_weight, address)->weight;
}

static __always_inline __u64 table_entry(__u64 table, __u64 address,
                                         int shift) {
    __u64 index = (address >> shift) & 511;

    return word_at(table + index * 8);
}

// Where the direct map holds the user's address; 0: use the helper.
static __always_inline __u64 kernel_address(struct task_struct *task,
                                            __u64 address) {
    __u64 base = direct_map, entry = 0, within;
    __u64 table = (__u64)task->mm->pgd;
    int shift;

    barrier_var(base); // kept in a register: it does not change any more
    if (!base || address >> USER_ADDRESS_BITS)
        return 0;
#pragma unroll
    for (shift = 39; shift > 12; shift -= 9) {
        entry = table_entry(table, address, shift);
        if ((entry & (PAGE_IS_USERS | PAGE_HUGE)) != PAGE_IS_USERS)
            goto huge;
        table = base + (entry & frame_mask);
    }
    entry = table_entry(table, address, 12);
    if ((entry & (PAGE_IS_USERS | PAGE_SPECIAL)) != PAGE_IS_USERS)
        return 0;
    return base + (entry & frame_mask) + (address & 4095);
huge: // or not there
    if (shift == 39 ||
        (entry & (PAGE_IS_USERS | PAGE_SPECIAL)) != PAGE_IS_USERS)
        return 0;
    within = (1ull << shift) - 1;
    return base + (entry & frame_mask & ~within) + (address & within);
}

static __always_inline long read_user_word(struct task_struct *task,
                                           __u64 address, __u32 *word,
                                           const bool cast) {
    if (cast && (address & 4095) <= 4092) {
        __u64 place = kernel_address(task, address);

        *word = place ? AS(upid, place)->nr : 0;
        if (*word)
            return 0; // 0 is also the result of a load that failed
    }
    return bpf_probe_read_user(word, sizeof(*word), (void *)address);
}

static __always_inline long read_user_long(struct task_struct *task,
                                           __u64 address, __u64 *word,
                                           const bool cast) {
    if (cast && (address & 4095) <= 4088) {
        __u64 place = kernel_address(task, address);

        *word = place ? word_at(place) : 0;
        if (*word)
            return 0; // 0 is also the result of a load that failed
    }
    return bpf_probe_read_user(word, sizeof(*word), (void *)address);
}

// Run by the loader, on itself, until it is found: `ours` is the user address
// of a page that begins with `marks` and lies at `frame` in physical memory.
// The kernel's map of all memory begins at a multiple of 1 GB below our page
// table, no farther than there is memory; a few such places are tried.
#define PLACES_TRIED 8

static __always_inline void find_direct_map(__u64 ours, __u64 frame,
                                            const __u64 *marks, __u64 first) {
    struct task_struct *task = bpf_get_current_task_btf();
    __u64 base = (((__u64)BPF_CORE_READ(task, mm, pgd) >> 30) - first) << 30;

    for (int i = 0; i < PLACES_TRIED; i++, base -= 1ull << 30) {
        if (word_at(base + frame) == marks[0] &&
            word_at(base + frame + 8) == marks[1]) {
            direct_map = base;
            break;
        }
    }
    // The proof: our own page, through the page tables.
    if (direct_map && word_at(kernel_address(task, ours)) != marks[0])
        direct_map = 0;
}

#endif
