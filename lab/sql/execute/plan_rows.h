// SPDX-License-Identifier: GPL-2.0-or-later
// A plan as Oracle numbers its rows, made from SQLite's EXPLAIN QUERY PLAN.
#ifndef ORALAB_PLAN_ROWS_H
#define ORALAB_PLAN_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "sql/execute/counted_program.h"

struct cursor;

enum { PLAN_OPERATION = 96, MOST_PLAN_ROWS = 200 };

struct plan_row {
    unsigned parent;   // its number; rows are numbered from 1. 0: none
    unsigned position; // among the rows of its parent, from 1
    // The counts of a counted program, by the node's index.
    enum {
        PLAN_OF_NODE,
        PLAN_OF_INDEX, // by which `node` reads its table
        PLAN_OF_JOIN,  // begins with `node`, and `last` has its rows
        PLAN_OF_CHANGE,
    } kind;
    unsigned node, last;
    unsigned object; // where its name begins in `operation`; 0: it has none
    char operation[PLAN_OPERATION];
};

struct plan_rows {
    unsigned count;
    struct plan_row row[MOST_PLAN_ROWS];
};

// False where SQLite gives no plan, or it has too many rows.
bool plan_rows_read(const struct cursor *cursor, struct plan_rows *rows);
// The counts of the rows since the program was restarted, each with those
// below it.
void plan_rows_count(const struct plan_rows *rows,
                     struct sqlite3_stmt *statement,
                     struct plan_counts *counts);
void plan_work_add(struct plan_work *to, const struct plan_work *more);
// A number that differs between plans.
uint32_t plan_rows_hash(const struct plan_rows *rows);

#endif
