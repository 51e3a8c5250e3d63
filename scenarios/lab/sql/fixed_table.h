// SPDX-License-Identifier: GPL-2.0-or-later
// A fixed table: rows that live in memory and are read as they are now. Each
// one named V$X is there as GV$X too, with the column INST_ID in front.
#ifndef ORALAB_FIXED_TABLE_H
#define ORALAB_FIXED_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sql/database.h"

struct sqlite3_context;

struct fixed_column {
    const char *name;
    const char *type; // as in CREATE TABLE; NULL: VARCHAR2(128)
    // Answers with the value in row `row`; NULL: every row has NULL.
    void (*value)(struct sqlite3_context *context,
                  const struct database *database, int row,
                  const struct fixed_column *column);
    size_t offset; // for `value`, where the value is
};

struct fixed_table {
    const char *name;
    const struct fixed_column *columns; // ends with one without a name
    int rows;                           // how many there can be
    // Whether row `row` is there now; NULL: all are.
    bool (*present)(const struct database *database, int row);
};

// Each list ends with an entry without a name.
extern const struct fixed_table statistic_views[];
extern const struct fixed_table wait_views[];
extern const struct fixed_table session_views[];
extern const struct fixed_table session_wait_views[];
extern const struct fixed_table process_views[];
extern const struct fixed_table instance_views[];

enum { SESSION_ADDRESS = 0x70, PROCESS_ADDRESS = 0x71 };

// Values that several views have. Text of length 0 is NULL.
void fixed_text(struct sqlite3_context *context, const char *value);
void fixed_integer(struct sqlite3_context *context, int64_t value);
void fixed_date(struct sqlite3_context *context, int64_t seconds);
// An address for joins: differs between rows, and between `base`s.
void fixed_address(struct sqlite3_context *context, unsigned base, int row);
// For a fixed_column: 0, in the type NUMBER.
void fixed_zero(struct sqlite3_context *context,
                const struct database *database, int row,
                const struct fixed_column *column);

// slot_columns.c
bool session_present(const struct database *database, int row);

#endif
