// SPDX-License-Identifier: GPL-2.0-or-later
// Calls counted by name and duration. Where a question is of these alone, a
// row for each call would be made only to be counted.
#pragma once

#include "batch.h"
#include "counts.h"
#include "names.h"

struct tally {
    struct names names;
    struct alike *slot;
    size_t count, slots;
    bool full;
    int32_t *name_of; // by the index of a name in the block
    size_t name_room;
};

// The calls that come are of a block with these names. False: no memory.
bool tally_begin(struct tally *tally, const struct names *of_block);

// One more call of the block's name `name`. False: no memory.
bool tally_add(struct tally *tally, int32_t name, bool wait, int64_t dur_us);

// All calls that a block has counted. False: no memory.
bool tally_add_counts(struct tally *tally, const struct counts *counts);

// A call that tally_add will be given soon: its slot has mostly left the
// processor's cache.
void tally_expect(const struct tally *tally, int32_t name, bool wait,
                  int64_t dur_us);

// Whether there is enough in it for a batch.
bool tally_is_full(const struct tally *tally);

// Make `batch` of it, a row for each kind of call, and forget all. False: no
// memory.
bool tally_into(struct tally *tally, struct batch *batch, uint64_t wanted,
                uint32_t serial);

void tally_free(struct tally *tally);
