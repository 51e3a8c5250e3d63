// SPDX-License-Identifier: GPL-2.0-or-later
// Walks the current thread's user stack by unwind tables. The functions that
// search are global, so that the verifier checks each once and not for every
// frame of a stack; their arguments are numbers, because Linux before 5.12
// takes no others.
#ifndef POLLTRACE_UNWIND_BPF_H
#define POLLTRACE_UNWIND_BPF_H

#include "kernel/maps.bpf.h"
#include "kernel/unwind.h"

// The tables' rows, and for each page of code where its rows are.
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, __u64);
} unwind_rows SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct unwind_page);
} unwind_pages SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct unwind_layout);
} unwind_layouts SEC(".maps");

// From an image (see struct slot) to its layout.
struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, __u32);
} unwind_images SEC(".maps");

// By slot: how often a walk left the mappings that are known of its process.
struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, __u32);
} unwind_misses SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, STACK_KINDS);
    __type(key, __u32);
    __type(value, struct unwind_state);
} unwind_states SEC(".maps");

static __always_inline long unwind_read(void *into, __u32 size, __u64 address) {
    return bpf_probe_read_user(into, size, (void *)address);
}

__noinline int unwind_mapping_of(__u32 layout, __u64 address) {
    struct unwind_layout *known;
    __u32 at = 0;

    if (!unwinding)
        return -1;
    known = bpf_map_lookup_elem(&unwind_layouts, &layout);
    if (!known)
        return -1;
#pragma unroll
    for (__u32 half = LAYOUT_MAPPINGS / 2; half; half /= 2) {
        __u32 next = (at + half) & (LAYOUT_MAPPINGS - 1);

        if (known->start[next] <= address)
            at = next;
    }
    at &= LAYOUT_MAPPINGS - 1;
    if (known->start[at] > address || address >= known->mapping[at].end)
        return -1;
    return at;
}

// The last row of a page that begins at `pc` or before.
__noinline __u64 unwind_row_in(__u32 page, __u32 pc) {
    struct unwind_page *place;
    __u32 low, high, middle;
    __u64 *row;

    if (!unwinding)
        return 0;
    place = bpf_map_lookup_elem(&unwind_pages, &page);
    if (!place)
        return 0;
    low = place->first;
    high = low + place->count;
    for (int i = 0; i <= UNWIND_PAGE_ROWS_BITS; i++) {
        if (low + 1 >= high)
            break;
        middle = low + (high - low) / 2;
        row = bpf_map_lookup_elem(&unwind_rows, &middle);
        if (!row)
            return 0;
        if (UNWIND_AT(*row) <= pc)
            low = middle;
        else
            high = middle;
    }
    row = bpf_map_lookup_elem(&unwind_rows, &low);
    return row ? *row : 0;
}

__noinline __u64 unwind_row_of(__u32 layout, __u32 mapping, __u64 address) {
    struct unwind_layout *known;
    struct unwind_mapping *place;
    __u64 offset;

    if (!unwinding)
        return 0;
    known = bpf_map_lookup_elem(&unwind_layouts, &layout);
    if (!known)
        return 0;
    mapping &= LAYOUT_MAPPINGS - 1;
    place = &known->mapping[mapping];
    if (place->mapped == MAPPED_NO_ROOM)
        return UNWIND_ROW(0, CFA_NO_ROOM, 0, 0, 0);
    if (place->mapped != MAPPED_TABLE)
        return 0;
    offset = address - known->start[mapping];
    return unwind_row_in(place->page + (offset >> UNWIND_PAGE_BITS),
                         offset & (UNWIND_PAGE - 1));
}

#include "kernel/unwind_step.h"

// One step, and the caller's address in the key. Returns enum stack_stop;
// STOP_UNKNOWN: go on.
__noinline int unwind_next(__u32 kind) {
    struct unwind_state *s;
    struct stack_key *key;
    __u64 depth;
    __u32 stop;

    if (!unwinding)
        return STOP_NO_RULES;
    s = bpf_map_lookup_elem(&unwind_states, &kind);
    key = bpf_map_lookup_elem(&scratch, &kind);
    if (!s || !key)
        return STOP_NO_RULES;
    stop = unwind_step(s);
    if (stop != STOP_UNKNOWN)
        return stop;
    depth = key->depth;
    if (depth >= stack_depth)
        return STOP_DEPTH;
    barrier_var(depth); // the verifier must see the check
    if (depth >= STACK_DEPTH)
        return STOP_DEPTH;
    key->address[depth] = s->pc | s->found;
    key->depth = depth + 1;
    return STOP_UNKNOWN;
}

static __always_inline void unwind_missed(__u32 slot) {
    __u32 *misses = bpf_map_lookup_elem(&unwind_misses, &slot);

    if (misses)
        __sync_fetch_and_add(misses, 1);
    unwind_missed_any = 1;
}

// The whole stack of the current task; false: there is no table for it.
static __always_inline bool unwind_user(struct stack_key *key, __u32 kind,
                                        struct pt_regs *regs) {
    struct unwind_state *s = bpf_map_lookup_elem(&unwind_states, &kind);
    __u32 image = key->image, *layout;
    int mapping, stop;

    layout = bpf_map_lookup_elem(&unwind_images, &image);
    if (!s || !layout)
        return false;
    __builtin_memset(s, 0, sizeof(*s));
    s->layout = *layout;
    s->pc = BPF_CORE_READ(regs, ip);
    s->sp = BPF_CORE_READ(regs, sp);
    s->bp = BPF_CORE_READ(regs, bp);
    s->exact = 1;
    key->address[0] = s->pc;
    key->depth = 1;
    mapping = unwind_mapping_of(s->layout, s->pc);
    if (mapping < 0) {
        key->stop = STOP_NOT_CODE;
        unwind_missed(key->slot);
        return true;
    }
    s->mapping = mapping;
    for (int i = 0; i < STACK_DEPTH; i++) {
        stop = unwind_next(kind);
        if (stop != STOP_UNKNOWN)
            break;
    }
    if (stop == STOP_NOT_CODE)
        unwind_missed(key->slot);
    key->stop = stop;
    key->hidden = key->depth > 1 ? HIDDEN_RECOVERED : HIDDEN_UNKNOWN;
    return true;
}

#endif
