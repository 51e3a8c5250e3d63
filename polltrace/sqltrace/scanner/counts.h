// SPDX-License-Identifier: GPL-2.0-or-later
// How many calls of a block are alike, by name and duration, counted as its
// lines are read.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct alike {
    int64_t dur_us;
    uint32_t times; // 0: an empty slot
    uint32_t key;   // of names: the index, and a bit for a wait
};

struct counts {
    struct alike *slot;
    uint32_t *used; // the slots that are not empty
    size_t count, slots;
};

static inline uint32_t alike_key(int32_t name, bool wait) {
    return (uint32_t)name << 1 | wait;
}

static inline size_t alike_hash(uint32_t key, int64_t dur_us) {
    return (((uint64_t)dur_us * 0x9E3779B97F4A7C15u) ^
            ((uint64_t)key * 0xC2B2AE3D27D4EB4Fu)) >>
           32;
}

// Where such calls are counted, or the empty slot for them.
static inline size_t alike_slot(const struct alike *slot, size_t slots,
                                uint32_t key, int64_t dur_us) {
    size_t i = alike_hash(key, dur_us) & (slots - 1);
    while (slot[i].times && (slot[i].dur_us != dur_us || slot[i].key != key))
        i = (i + 1) & (slots - 1);
    return i;
}

// Forget all. False where there is no memory.
bool counts_clear(struct counts *counts);

bool counts_grow(struct counts *counts);

// One more call. False where there is no memory.
static inline bool counts_add(struct counts *counts, int32_t name, bool wait,
                              int64_t dur_us) {
    const uint32_t key = alike_key(name, wait);
    const size_t i = alike_slot(counts->slot, counts->slots, key, dur_us);
    struct alike *const to = &counts->slot[i];
    if (to->times++)
        return true;
    to->key = key;
    to->dur_us = dur_us;
    counts->used[counts->count++] = (uint32_t)i;
    return counts->count < counts->slots / 2 || counts_grow(counts);
}

void counts_free(struct counts *counts);
