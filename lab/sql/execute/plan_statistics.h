// SPDX-License-Identifier: GPL-2.0-or-later
// The work of the operations of a statement's plan, for statements with the
// hint GATHER_PLAN_STATISTICS and sessions whose STATISTICS_LEVEL is ALL.
// Others have no counted program, and cost nothing more.
//
// A session keeps those of its latest statements, also when their cursors are
// closed; Oracle has them in the library cache, for all sessions.
#ifndef ORALAB_PLAN_STATISTICS_H
#define ORALAB_PLAN_STATISTICS_H

#include "sql/execute/cursor.h"
#include "sql/execute/plan_rows.h"

struct plan_statistics {
    struct plan_statistics *next; // executed before it
    const struct cursor *cursor;  // NULL: it is closed
    char sql_id[14];
    char *sql;
    size_t length;
    enum statement_kind kind;
    struct plan_rows rows;
    uint64_t executions;
    // Of the whole statement, and then of each of `rows`: of the last
    // execution, and of all before it.
    struct plan_counts *last, *before;
};

// A cursor that was parsed: makes its program a counted one, if it is to be.
void plan_statistics_attach(struct cursor *cursor);
void plan_statistics_detach(struct cursor *cursor);
// Its address is another.
void plan_statistics_moved(struct cursor *cursor);
// Whether the session wants statistics now and did not when the cursor was
// parsed, or the reverse.
bool plan_statistics_is_other(const struct cursor *cursor);
// An execution begins. A call of it, EXEC or FETCH, has ended.
void plan_statistics_execution(struct cursor *cursor);
void plan_statistics_add(const struct statement_call *call,
                         const struct statement_call *end, uint64_t rows);
// The latest execution's of a statement; NULL: it has none.
const struct plan_statistics *
plan_statistics_find(const struct database *database, const char *sql_id);
void plan_statistics_free(struct database *database);

#endif
