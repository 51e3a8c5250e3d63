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

// An event's name as it was written, with "' ela=" behind it, and its index. A
// trace has few events, and most lines are of them.
enum { KNOWN_EVENT_BITS = 4 };

struct known_event {
    char text[64], mask[64];
    uint32_t len; // 0: none
    int32_t name;
};

// The text of a client's call between "e=3," and the digits of tim. Many have
// the same: few blocks, one row, the same plan.
enum { KNOWN_TAIL_BITS = 4 };

struct known_tail {
    char text[64], mask[64];
    uint32_t len; // 0: none
};

struct reader {
    struct block *block;
    const char *end;
    unsigned want;
    struct mode mode;
    struct known_cursor cursor;
    struct known_event event[1 << KNOWN_EVENT_BITS][2];
    struct long_numbers known;
    // Whether calls and waits can be counted as they are read: the last call
    // was one of the client that has a time. A call or wait after a
    // timestamp, or possibly inside of a call, takes a record of its own.
    bool counts;
    struct known_tail tail[1 << KNOWN_TAIL_BITS];
    struct run run;
    const char *run_begin;         // where its first line is
    int32_t name_of[RECORD_KINDS]; // in the names of the block
};

// Whether the number at `at` is the one that was known last.
static inline bool is_known_cursor(const struct known_cursor *known,
                                   const char *at) {
    uint64_t text[2];
    memcpy(text, at, sizeof text);
    return known->len && (((text[0] ^ known->text[0]) & known->mask[0]) |
                          ((text[1] ^ known->text[1]) & known->mask[1])) == 0;
}

#define BEGINS(at, eol, text)                                                  \
    ((size_t)((eol) - (at)) >= sizeof(text) - 1 &&                             \
     memcmp((at), (text), sizeof(text) - 1) == 0)

// Make room for more records. False where there is no memory.
bool reader_grow(struct reader *reader);

// A new record of the line [at, eol), whose times are 0; NULL where there is no
// memory.
static inline struct record *reader_add(struct reader *reader,
                                        enum record_kind kind, const char *at,
                                        const char *eol) {
    struct block *block = reader->block;
    if (block->count == block->room && !reader_grow(reader))
        return NULL;
    struct record *record = &block->record[block->count++];
    record->kind = (uint8_t)kind;
    record->has = 0;
    record->start = (uint32_t)(at - block->data);
    record->len = (uint32_t)(eol - at);
    record->name = reader->name_of[kind];
    record->line = block->lines;
    record->body = record->body_len = 0;
    record->cursor = 0;
    memset(record->field, 0, TIMES * sizeof *record->field);
    return record;
}

// Name the record by its line. False where there is no memory.
bool reader_name(struct reader *reader, struct record *record, const char *name,
                 size_t len);

// Read the record at `at`. Returns where it ends; NULL where none begins.
const char *read_record(struct reader *reader, const char *at, const char *eol);

// Count the call or wait at `at`, or pass the binds there.
// Returns the next line; NULL where the line must be read in another way.
const char *count_line(struct reader *reader, const char *at);

// The counted calls are one record, which ends before `at`.
void end_run(struct reader *reader, const char *at);

// The lines that follow the record that was read last and belong to it: the
// text of a statement, binds. Returns the first line that does not.
const char *read_body(struct reader *reader, const char *at);

// The lines after BINDS without a record of them.
const char *pass_binds(struct reader *reader, const char *at);

// The part of such a body that a block begins with.
const char *read_rest(struct reader *reader, const char *at);
