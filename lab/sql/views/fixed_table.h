// SPDX-License-Identifier: GPL-2.0-or-later
// A fixed table: rows in memory, read at their current values. Each V$X also
// exists as GV$X with the column INST_ID in front.
#ifndef ORALAB_FIXED_TABLE_H
#define ORALAB_FIXED_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sql/execute/database.h"

struct sqlite3_context;

struct fixed_column;

// One value that a query reads.
struct fixed_cell {
    struct sqlite3_context *context; // takes the value; untouched means NULL
    const struct database *database;
    int row; // from 0, of the fixed table
    const struct fixed_column *column;
};

struct fixed_column {
    const char *name;
    const char *type; // as in CREATE TABLE
    // Hands the value to cell->context. NULL: every row has `text`.
    void (*value)(const struct fixed_cell *cell);
    size_t offset;    // for `value`: of a struct member, or an index
    const char *text; // NULL: every row has NULL
};

struct fixed_table {
    const char *name;
    const struct fixed_column *columns; // ends with an entry without a name
    int rows;                           // rows at most
    // Whether row `row` exists now. NULL: all rows always do.
    bool (*present)(const struct database *database, int row);
};

// Each list ends with an entry without a name.
extern const struct fixed_table statistic_views[];
extern const struct fixed_table wait_views[];
extern const struct fixed_table session_views[];
extern const struct fixed_table session_wait_views[];
extern const struct fixed_table process_views[];
extern const struct fixed_table active_session_views[];
extern const struct fixed_table sql_views[];
extern const struct fixed_table instance_views[];
extern const struct fixed_table trace_views[];
extern const struct fixed_table latch_views[];
extern const struct fixed_table result_cache_views[];
extern const struct fixed_table result_object_views[];
extern const struct fixed_table link_views[];
extern const struct fixed_table sequence_views[];
extern const struct fixed_table job_views[];
extern const struct fixed_table transaction_views[];

enum {
    SESSION_ADDRESS = 0x70,
    PROCESS_ADDRESS = 0x71,
    TRANSACTION_ADDRESS = 0x72,
};

// Values that several views have. Text of length 0 is NULL.
void fixed_text(const struct fixed_cell *cell, const char *value);
void fixed_integer(const struct fixed_cell *cell, int64_t value);
// A DATE; `seconds` since 1970 in UTC.
void fixed_date(const struct fixed_cell *cell, int64_t seconds);
// An address for joins: it differs between rows and between `base`s.
void fixed_address(const struct fixed_cell *cell, unsigned base);
// For a column that is 0 in every row, or 1.
void fixed_zero(const struct fixed_cell *cell);
void fixed_one(const struct fixed_cell *cell);

// slot_columns.c: whether the session's slot `row` is in use.
bool slot_is_present(const struct database *database, int row);

#endif
