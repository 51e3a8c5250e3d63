// SPDX-License-Identifier: GPL-2.0-or-later
#include "tally.h"

#include <stdlib.h>
#include <string.h>

#include "rows.h"

// It is emptied between two blocks, so it grows by at most the names of one
// block.
enum { FIRST_SLOTS = 1 << 10, FULL = 1 << 16, FULL_NAMES = 1 << 20 };

// A block has fewer records than a call may still be counted then.
static const uint32_t MOST_TIMES = UINT32_MAX / 2;

static inline uint32_t key_of(const struct tally *tally, int32_t name,
                              bool wait) {
    return alike_key(tally->name_of[name], wait);
}

static inline size_t slot_of(const struct tally *tally, uint32_t key,
                             int64_t dur_us) {
    return alike_slot(tally->slot, tally->slots, key, dur_us);
}

static bool grow(struct tally *tally) {
    const struct tally before = *tally;
    tally->slots = before.slots ? 2 * before.slots : FIRST_SLOTS;
    tally->slot = calloc(tally->slots, sizeof *tally->slot);
    if (!tally->slot) {
        *tally = before;
        return false;
    }
    for (size_t i = 0; i < before.slots; i++) {
        const struct alike *const from = &before.slot[i];
        if (from->times)
            tally->slot[slot_of(tally, from->key, from->dur_us)] = *from;
    }
    free(before.slot);
    return true;
}

bool tally_begin(struct tally *tally, const struct names *of_block) {
    const struct strings *const strings = &of_block->strings;
    if (!tally->slots && (!grow(tally) || !names_clear(&tally->names)))
        return false;
    if (tally->name_room < strings->count) {
        void *grown = realloc(tally->name_of,
                              2 * strings->count * sizeof *tally->name_of);
        if (!grown)
            return false;
        tally->name_of = grown;
        tally->name_room = 2 * strings->count;
    }
    for (size_t i = 0; i < strings->count; i++) {
        const size_t begin = (size_t)strings->offset[i];
        tally->name_of[i] = names_find(&tally->names, strings->bytes + begin,
                                       (size_t)strings->offset[i + 1] - begin);
        if (tally->name_of[i] < 0)
            return false;
    }
    return true;
}

static inline bool add(struct tally *tally, uint32_t key, int64_t dur_us,
                       uint32_t times) {
    struct alike *const to = &tally->slot[slot_of(tally, key, dur_us)];
    const bool there = to->times;
    to->times += times;
    tally->full |= to->times >= MOST_TIMES;
    if (there)
        return true;
    to->key = key;
    to->dur_us = dur_us;
    return ++tally->count < tally->slots / 2 || grow(tally);
}

bool tally_add(struct tally *tally, int32_t name, bool wait, int64_t dur_us) {
    return add(tally, key_of(tally, name, wait), dur_us, 1);
}

bool tally_add_counts(struct tally *tally, const struct counts *counts) {
    for (size_t i = 0; i < counts->count; i++) {
        const struct alike *const from = &counts->slot[counts->used[i]];
        const uint32_t key =
            key_of(tally, (int32_t)(from->key >> 1), from->key & 1);
        if (!add(tally, key, from->dur_us, from->times))
            return false;
    }
    return true;
}

void tally_expect(const struct tally *tally, int32_t name, bool wait,
                  int64_t dur_us) {
    const uint32_t key = key_of(tally, name, wait);
    __builtin_prefetch(
        &tally->slot[alike_hash(key, dur_us) & (tally->slots - 1)], 1);
}

bool tally_is_full(const struct tally *tally) {
    return tally->full || tally->count > FULL ||
           tally->names.strings.len > FULL_NAMES;
}

bool tally_into(struct tally *tally, struct batch *batch, uint64_t wanted,
                uint32_t serial) {
    if (!batch_begin(batch, tally->count, wanted, serial))
        return false;
    for (size_t i = 0; i < tally->slots; i++) {
        const struct alike *const from = &tally->slot[i];
        if (!from->times)
            continue;
        batch_put_index(batch, COLUMN_name, (int32_t)(from->key >> 1));
        batch_put_index(batch, COLUMN_kind,
                        from->key & 1 ? WAIT_ROW : CALL_ROW);
        batch_put(batch, COLUMN_dur_us, from->dur_us);
        batch_put(batch, COLUMN_times, from->times);
        batch->rows++;
    }
    batch->strings[NAME_STRINGS] = tally->names.strings;
    tally->names.strings = (struct strings){0};
    tally_free(tally);
    return true;
}

void tally_free(struct tally *tally) {
    names_free(&tally->names);
    free(tally->slot);
    free(tally->name_of);
    *tally = (struct tally){0};
}
