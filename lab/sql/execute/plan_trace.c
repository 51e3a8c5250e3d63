// SPDX-License-Identifier: GPL-2.0-or-later
// A statement without plan statistics has figures for the whole alone, in its
// plan's first row, and 0 below it. The rows of an operation that are not known
// are 0 as well.
#include "sql/execute/plan_trace.h"

#include <stdlib.h>

#include "process/sql_trace.h"
#include "process/trace_file.h"
#include "sql/execute/call_trace.h"
#include "sql/execute/plan_statistics.h"

enum { NS_PER_US = 1000 };

struct plan {
    uint32_t hash;
    uint64_t executions;            // that were traced
    uint64_t rows, reads, gets, us; // of the last one
    bool due;                       // its lines are not written
    bool written;                   // those of the first one are
    struct plan_rows tree;
};

static struct plan *plan_of(struct cursor *cursor) {
    if (cursor->plan || !cursor->statement)
        return cursor->plan;
    struct plan *plan = calloc(1, sizeof *plan);
    if (plan && plan_rows_read(cursor, &plan->tree))
        plan->hash = plan_rows_hash(&plan->tree);
    cursor->plan = plan;
    return plan;
}

uint32_t plan_trace_hash(struct cursor *cursor) {
    const struct plan *plan = plan_of(cursor);
    return plan ? plan->hash : 0;
}

static struct plan_counts counts_of(const struct cursor *cursor,
                                    unsigned number) {
    const struct plan_statistics *statistics = cursor->statistics;
    const struct plan *plan = cursor->plan;
    if (statistics && statistics->rows.row[number - 1].kind != PLAN_OF_CHANGE)
        return statistics->last[number];
    if (number > 1)
        return (struct plan_counts){.starts = plan->executions};
    return (struct plan_counts){
        .starts = plan->executions,
        .rows = plan->rows,
        .work = {.gets = plan->gets,
                 .reads = plan->reads,
                 .ns = plan->us * NS_PER_US},
    };
}

static void line(const struct cursor *cursor, unsigned number) {
    const struct plan *plan = cursor->plan;
    const struct plan_row *row = &plan->tree.row[number - 1];
    const struct plan_counts counts = counts_of(cursor, number);
    trace_text("STAT #%llu id=%u cnt=%llu pid=%u pos=%u obj=0 "
               "op='%s (cr=%llu pr=%llu pw=0 str=%llu time=%llu us)'\n",
               (unsigned long long)call_trace_number(cursor), number,
               (unsigned long long)counts.rows, row->parent, row->position,
               row->operation, (unsigned long long)counts.work.gets,
               (unsigned long long)counts.work.reads,
               (unsigned long long)counts.starts,
               (unsigned long long)(counts.work.ns / NS_PER_US));
}

static void write_lines(struct cursor *cursor) {
    struct plan *plan = cursor->plan;
    if (!plan || !plan->due)
        return;
    plan->due = false;
    if (sql_trace_wants(SQL_TRACE_NO_PLAN) ||
        (plan->written && !sql_trace_wants(SQL_TRACE_EVERY_PLAN)))
        return;
    plan->written = true;
    for (unsigned i = 1; i <= plan->tree.count; i++)
        line(cursor, i);
}

void plan_trace_after_call(struct cursor *cursor,
                           const struct statement_call *call,
                           const struct statement_call *end, uint64_t rows) {
    struct plan *plan = plan_of(cursor);
    if (!plan)
        return;
    if (call->kind == EXEC_CALL) {
        write_lines(cursor);
        plan->executions++;
        plan->rows = plan->reads = plan->gets = plan->us = 0;
        plan->due = true;
    }
    plan->rows += rows;
    plan->reads += end->reads - call->reads;
    plan->gets += end->gets - call->gets;
    plan->us += (uint64_t)(end->began_us - call->began_us);
    if (cursor->at_end)
        write_lines(cursor);
}

void plan_trace_end(struct cursor *cursor) {
    write_lines(cursor);
}

void plan_trace_forget(struct cursor *cursor) {
    free(cursor->plan);
    cursor->plan = NULL;
}
