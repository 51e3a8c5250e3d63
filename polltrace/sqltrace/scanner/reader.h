// SPDX-License-Identifier: GPL-2.0-or-later
// The state of reading one block, shared by the parts that read it.
#pragma once

#include <string.h>

#include "block.h"
#include "fields.h"

// A cursor's number as it was written, with the sign behind it. One line after
// the other is of the same cursor, and a number of 15 digits takes a while.
struct known_cursor {
    uint64_t text[2], mask[2];
    uint32_t len; // 0: none yet
    int64_t number;
};

struct reader {
    struct block *block;
    const char *end;
    unsigned want;
    struct mode mode;
    struct known_cursor cursor;
    struct long_numbers known;
    int32_t name_of[RECORD_KINDS]; // in the names of the block
};

#define BEGINS(at, eol, text)                                                  \
    ((size_t)((eol) - (at)) >= sizeof(text) - 1 &&                             \
     memcmp((at), (text), sizeof(text) - 1) == 0)

// A new record of the line [at, eol); NULL where there is no memory.
struct record *reader_add(struct reader *reader, enum record_kind kind,
                          const char *at, const char *eol);

// Name the record by what its line holds. False where there is no memory.
bool reader_name(struct reader *reader, struct record *record, const char *name,
                 size_t len);

// Read the record at `at`. Returns where it ends; NULL where none begins.
const char *read_record(struct reader *reader, const char *at, const char *eol);

// The lines that follow the record that was read last and belong to it: the
// text of a statement, binds. Returns the first line that does not.
const char *read_body(struct reader *reader, const char *at);

// What of such a body a block begins with.
const char *read_rest(struct reader *reader, const char *at);
