// SPDX-License-Identifier: GPL-2.0-or-later
// A plan as Oracle numbers its rows, made from SQLite's EXPLAIN QUERY PLAN.
#ifndef ORALAB_PLAN_ROWS_H
#define ORALAB_PLAN_ROWS_H

#include <stdbool.h>
#include <stdint.h>

struct cursor;

enum { PLAN_OPERATION = 96, MOST_PLAN_ROWS = 200 };

struct plan_row {
    unsigned parent;   // its number; rows are numbered from 1. 0: none
    unsigned position; // among the rows of its parent, from 1
    char operation[PLAN_OPERATION];
};

struct plan_rows {
    unsigned count;
    struct plan_row row[MOST_PLAN_ROWS];
};

// False where SQLite gives no plan, or it has too many rows.
bool plan_rows_read(const struct cursor *cursor, struct plan_rows *rows);
// A number that differs between plans.
uint32_t plan_rows_hash(const struct plan_rows *rows);

#endif
