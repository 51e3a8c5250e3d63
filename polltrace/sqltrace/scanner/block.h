// SPDX-License-Identifier: GPL-2.0-or-later
// A block of a trace file, cut after a newline, and the records in it.
#pragma once

#include "counts.h"
#include "kinds.h"
#include "names.h"
#include "record.h"

struct block {
    const char *data; // `len` bytes, then BLOCK_PADDING zeros
    size_t len;
    struct mode begins, ends;
    unsigned want; // of enum want
    uint32_t lines;
    struct record *record;
    size_t count, room;
    struct kinds kinds;
    // Lines before the first record of the block, and whether there is one.
    struct kinds preamble;
    bool has_header, has_record;
    struct names names;
    struct counts counts; // of the calls that are in a RUN_RECORD
    bool out_of_memory;
};

// Find the records of [data, data + len), which is below 4 GiB, where the block
// before ended in `begins`. `want` is of enum want. Safe on any bytes.
void block_read(struct block *block, const char *data, size_t len,
                struct mode begins, unsigned want);

// The place that [data, data + len) most likely begins in, by its first line:
// most blocks of a trace with binds begin among them, and one that was read as
// beginning elsewhere is read again.
struct mode block_guess(const char *data, size_t len);

void block_free(struct block *block);
