// SPDX-License-Identifier: GPL-2.0-or-later
// The rows of RETURNING, kept until the answer is written.
#ifndef ORALAB_RETURNED_ROWS_H
#define ORALAB_RETURNED_ROWS_H

#include <stdbool.h>
#include <stddef.h>

struct sqlite3_stmt;
struct sqlite3_value;

struct returned_rows {
    struct sqlite3_value **value; // row by row
    size_t count;                 // of values
    size_t room;
};

// Adds the row that the statement stands on. False without memory.
bool returned_rows_take(struct returned_rows *rows,
                        struct sqlite3_stmt *statement);
void returned_rows_forget(struct returned_rows *rows);

#endif
