// SPDX-License-Identifier: GPL-2.0-or-later
// What the tokeniser finds in a block: one record for each line that matters.
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
    NOTICE_RECORD,     // "*** ...": a timestamp, identity, continuation
    HEADER_RECORD,     // of the file: version, host, process
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

struct record {
    uint8_t kind;
    uint32_t has;        // a bit for each field that is there
    uint32_t start, len; // of the line, without its end, in the block
    int32_t name;        // in the names of the block
    uint32_t line;       // lines of the block before this one
    uint32_t body, body_len;
    int64_t cursor;
    int64_t field[FIELDS];
};

// Inside of what a block ends, and the next one therefore begins.
enum place { AT_RECORDS, IN_TEXT, IN_ERROR_TEXT, IN_BINDS, IN_VALUE };

struct mode {
    enum place place;
    uint32_t left;    // bytes that the text or value still has
    bool may_be_over; // the text ended with the block, or holds such a line
};

// What the tokeniser is to find besides calls.
enum want {
    WANT_LINES = 1,      // a record for every line
    WANT_STATS = 2,      // plan rows
    WANT_BINDS = 4,      // BINDS, each with its values as the body
    WANT_PARAMETERS = 8, // p1, p2, p3 and obj of waits
};
