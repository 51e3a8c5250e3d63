// SPDX-License-Identifier: GPL-2.0-or-later
// The row that a statement changed last, which drivers request (lastrowid).
#ifndef ORALAB_LAST_ROW_H
#define ORALAB_LAST_ROW_H

#include <stdbool.h>
#include <stdint.h>

struct cursor;
struct database;

enum { LONGEST_TABLE = 128 };

struct last_row {
    bool any;
    int64_t row;
    char table[LONGEST_TABLE + 1]; // the only one that a statement changes
};

void last_row_watch(struct database *database);
void last_row_forget(struct database *database);
// Sets `cursor->last` to its ROWID.
void last_row_keep(struct cursor *cursor);

#endif
