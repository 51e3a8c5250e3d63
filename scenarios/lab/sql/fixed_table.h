// SPDX-License-Identifier: GPL-2.0-or-later
// A fixed table: rows that live in memory and are read as they are now.
#ifndef ORALAB_FIXED_TABLE_H
#define ORALAB_FIXED_TABLE_H

#include <stdbool.h>

#include "sql/database.h"

struct sqlite3_context;

struct fixed_table {
    const char *name;
    const char *columns; // as in CREATE TABLE, with Oracle's types
    int rows;            // how many there can be
    // Whether row `row` is there now; NULL: all are.
    bool (*present)(const struct database *database, int row);
    void (*column)(struct sqlite3_context *context,
                   const struct database *database, int row, int column);
};

// Each list ends with an entry without a name.
extern const struct fixed_table statistic_tables[];
extern const struct fixed_table session_tables[];

#endif
