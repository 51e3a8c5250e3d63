// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/execute/statement_call.h"

#include "process/sql_trace.h"
#include "sql/execute/call_trace.h"
#include "sql/execute/cursor.h"
#include "sql/execute/plan_statistics.h"
#include "sql/execute/plan_trace.h"

static struct statement_call call_now(struct cursor *cursor,
                                      enum statement_call_kind kind) {
    const struct database *database = cursor->database;
    const uint64_t *stat = database->self->stat;
    if (!SQL_TRACE_IS_BUILT)
        return (struct statement_call){
            .kind = kind, .cursor = cursor, .began_us = clock_us()};
    return (struct statement_call){
        .kind = kind,
        .cursor = cursor,
        .began_us = clock_us(),
        .cpu_us = sql_trace_wants(SQL_TRACE_ON) ? cpu_us(0) : -1,
        .reads = stat[STAT_PHYSICAL_READS],
        .gets = stat[STAT_CONSISTENT_GETS],
        .current_gets = stat[STAT_DB_BLOCK_GETS],
        .misses = database->misses,
    };
}

void statement_call_begins(struct cursor *cursor,
                           enum statement_call_kind kind) {
    struct database *database = cursor->database;
    if (database->call.kind == kind)
        return;
    database->call = call_now(cursor, kind);
    database->self->stat[STAT_PARSES] += kind == PARSE_CALL;
    database->self->stat[STAT_EXECUTES] += kind == EXEC_CALL;
    database->self->stat[STAT_RECURSIVE_CALLS] += database->depth > 0;
    if (cursor->statistics && kind == EXEC_CALL) {
        if (sql_trace_wants(SQL_TRACE_ON))
            plan_trace_end(cursor);
        plan_statistics_execution(cursor);
    }
    if (SQL_TRACE_IS_BUILT)
        sql_trace_cursor(call_trace_number(cursor));
}

struct statement_call statement_call_deeper(struct database *database) {
    const struct statement_call outer = database->call;
    database->call.kind = NO_CALL;
    database->depth++;
    return outer;
}

void statement_call_back(struct database *database,
                         struct statement_call outer) {
    database->call = outer;
    database->depth--;
    if (SQL_TRACE_IS_BUILT && outer.kind != NO_CALL)
        sql_trace_cursor(call_trace_number(outer.cursor));
}

void statement_call_ends(struct database *database, uint64_t rows,
                         const struct ora_error *error) {
    const struct statement_call call = database->call;
    if (call.kind == NO_CALL)
        return;
    struct statement_call end = call_now(call.cursor, call.kind);
    struct time_model *model = &database->self->time;
    const uint64_t us = (uint64_t)(end.began_us - call.began_us);
    if (database->depth == 1)
        database->inner_us += us;
    if (call.kind == PARSE_CALL)
        model->parse_us += us;
    else if (database->depth == 0)
        model->execute_us += us;
    database->call.kind = NO_CALL;
    if (call.cursor->statistics && call.kind != PARSE_CALL)
        plan_statistics_add(&call, &end, rows);
    if (!SQL_TRACE_IS_BUILT ||
        !sql_trace_wants_call(call.began_us, call.cpu_us >= 0))
        return;
    if (end.cpu_us < 0)
        end.cpu_us = cpu_us(0);
    call_trace_write(&call, &end, rows, error);
}
