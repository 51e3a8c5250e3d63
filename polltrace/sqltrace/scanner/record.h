// SPDX-License-Identifier: GPL-2.0-or-later
// The result of the tokeniser for a block: a record for each line that matters.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Readable bytes that must follow a block, so that vector loads may overrun.
enum { BLOCK_PADDING = 128 };

enum record_kind {
    LINE_RECORD, // any other line; only where every line is wanted
    PARSE_CALL,  // the calls first: they have a duration, or are calls
    EXEC_CALL,   // of none
    FETCH_CALL,
    CLOSE_CALL,
    UNMAP_CALL,
    SORT_UNMAP_CALL,
    LOB_CALL, // LOBREAD, LOBWRITE, ...; its name is in the line
    RPC_CALL,
    WAIT_CALL,
    XCTEND_CALL,
    ERROR_CALL,
    PARSE_ERROR_CALL,
    LAST_CALL = PARSE_ERROR_CALL,
    STATEMENT_RECORD,  // PARSING IN CURSOR; its text is the body
    TEXT_REST_RECORD,  // of a statement that the block before began
    BINDS_RECORD,      // its values are the body
    BINDS_REST_RECORD, // of binds that a timestamp or the block's end cut
    STAT_RECORD,       // a row of a plan
    NOTICE_RECORD,     // "*** ..." or APPNAME: a timestamp, identity, ...
    HEADER_RECORD,     // of the file: version, host, process
    RUN_RECORD,        // calls and waits that the block has counted
    RECORD_KINDS
};

enum field { // those that every row has first: they share a cache line
    FIELD_TIM,
    FIELD_ELA,
    FIELD_C,
    FIELD_E,
    TIMES, // that a record which lacks them has as 0
    FIELD_DEP = TIMES,
    FIELD_R,
    FIELD_P,
    FIELD_CR,
    FIELD_CU,
    FIELD_MIS,
    FIELD_OG,
    FIELD_PLH,
    FIELD_TYPE,
    FIELD_P1,
    FIELD_P2,
    FIELD_P3,
    FIELD_OBJ,
    FIELD_ERR,
    FIELDS
};

// Calls of the client and waits that follow one another, all of them with a
// time, and none with more of it than LARGEST. None ends more than CLOCK_STEP
// before one that is ahead of it.
struct run {
    int64_t begin;          // the first start
    int64_t least_end, end; // the first end, the last one
    int64_t last_tim;
    uint32_t calls, waits;
};

// A number that is larger is no time, and sums of it would not fit.
static const int64_t LARGEST = (int64_t)1 << 53;

// Calls end in turn. One that ends more microseconds than this before the last
// is of another clock.
static const int64_t CLOCK_STEP = 1000000;

struct record {
    uint8_t kind;
    uint32_t has;        // a bit for each field that is there
    uint32_t start, len; // of the line, without its end, in the block
    int32_t name;        // in the names of the block
    uint32_t line;       // lines of the block before this one
    uint32_t body, body_len;
    int64_t cursor;
    union {
        int64_t field[FIELDS];
        struct run run; // of a RUN_RECORD
    };
};

// The place in which a block ends, and the next one therefore begins.
enum place { AT_RECORDS, IN_TEXT, IN_ERROR_TEXT, IN_BINDS, IN_VALUE };

struct mode {
    enum place place;
    uint32_t left;    // bytes that the text or value still has
    bool may_be_over; // the text ended with the block, or holds such a line
};

// The records that the tokeniser is to find besides calls.
enum want {
    WANT_LINES = 1,      // a record for every line
    WANT_STATS = 2,      // plan rows
    WANT_BINDS = 4,      // BINDS, each with its values as the body
    WANT_PARAMETERS = 8, // p1, p2, p3 and obj of waits
    WANT_COUNTS = 16,    // calls and waits counted where they can be, no rows
    WANT_UNIT = 32,      // the file's first timestamp, which tells the clock
};
