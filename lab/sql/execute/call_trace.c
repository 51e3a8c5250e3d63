// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/execute/call_trace.h"

#include <string.h>

#include "process/trace_file.h"
#include "sql/views/dictionary.h"
#include "sql/execute/plan_trace.h"
#include "sql/execute/sql_id.h"

enum { NO_DATA_FOUND = 1403, ALL_ROWS = 1, ALTER_SESSION = 42 };

// A statement as the records describe it.
struct traced {
    unsigned long long number;
    const char *sql;
    size_t length;
    int command;
    uint32_t hash;
    char id[14];
    unsigned depth;
    unsigned row; // of its session in v$session
};

uint64_t call_trace_number(const struct cursor *cursor) {
    return (uint64_t)(uintptr_t)cursor;
}

static struct traced traced_of(const struct cursor *cursor) {
    const struct database *database = cursor->database;
    struct traced of = {
        .number = call_trace_number(cursor),
        .sql = cursor->sql,
        .length = cursor->sql_length,
        .command = cursor->command,
        .hash = cursor->sql_hash,
        .depth = database->depth,
        .row = sga_sid(database->sga, database->self) - 1,
    };
    memcpy(of.id, cursor->sql_id, sizeof of.id);
    return of;
}

// Its address is as v$session.SQL_ADDRESS shows it.
static void statement_text(const struct traced *of, int64_t end_us) {
    trace_text("=====================\n"
               "PARSING IN CURSOR #%llu len=%zu dep=%u uid=%d oct=%d lid=%d "
               "tim=%lld hv=%u ad='%x' sqlid='%s'\n",
               of->number, of->length, of->depth, USER_NUMBER, of->command,
               USER_NUMBER, (long long)end_us, of->hash,
               of->command == ALTER_SESSION
                   ? 0
                   : (of->hash & 0xffU) << 24 | of->row << 8,
               of->id);
    trace_bytes(of->sql, of->length);
    trace_text("\nEND OF STMT\n");
}

static void parse_error(const struct traced *of, int64_t end_us,
                        unsigned number) {
    trace_text("=====================\n"
               "PARSE ERROR #%llu:len=%zu dep=%u uid=%d oct=%d lid=%d tim=%lld "
               "err=%u\n",
               of->number, of->length, of->depth, USER_NUMBER, of->command,
               USER_NUMBER, (long long)end_us, number);
    if (of->sql)
        trace_bytes(of->sql, of->length);
    trace_bytes("\n", 1);
}

// A trace that another session has switched on in the middle of the call: the
// processor time of the client's call so far is the closest there is.
static int64_t cpu_before(const struct statement_call *call) {
    return call->cpu_us >= 0
               ? call->cpu_us
               : call->cursor->database->self->time.call_began_cpu_us;
}

static void figures(const struct traced *of, const struct statement_call *call,
                    const struct statement_call *end, uint64_t rows) {
    static const char *const names[] = {
        [PARSE_CALL] = "PARSE", [EXEC_CALL] = "EXEC", [FETCH_CALL] = "FETCH"};
    const bool optimized = call->cursor->statement != NULL;
    const bool planned = call->kind != PARSE_CALL;
    trace_text("%s #%llu:c=%lld,e=%lld,p=%llu,cr=%llu,cu=%llu,mis=%u,r=%llu,"
               "dep=%u,og=%d,plh=%u,tim=%lld\n",
               names[call->kind], of->number,
               (long long)(end->cpu_us - cpu_before(call)),
               (long long)(end->began_us - call->began_us),
               (unsigned long long)(end->reads - call->reads),
               (unsigned long long)(end->gets - call->gets),
               (unsigned long long)(end->current_gets - call->current_gets),
               end->misses - call->misses, (unsigned long long)rows, of->depth,
               optimized ? ALL_ROWS : 0,
               planned ? plan_trace_hash(call->cursor) : 0,
               (long long)end->began_us);
}

void call_trace_write(const struct statement_call *call,
                      const struct statement_call *end, uint64_t rows,
                      const struct ora_error *error) {
    struct cursor *cursor = call->cursor;
    const struct traced of = traced_of(cursor);
    const bool failed = error->number && error->number != NO_DATA_FOUND;
    trace_record();
    if (call->kind == PARSE_CALL && failed) {
        parse_error(&of, end->began_us, error->number);
        return;
    }
    if (call->kind == PARSE_CALL)
        statement_text(&of, end->began_us);
    figures(&of, call, end, rows);
    if (failed)
        trace_text("ERROR #%llu:err=%u tim=%lld\n", of.number, error->number,
                   (long long)end->began_us);
    if (call->kind != PARSE_CALL)
        plan_trace_after_call(cursor, call, end, rows);
}

void call_trace_close(uint64_t number, unsigned depth, int64_t began_us,
                      int64_t began_cpu_us) {
    const int64_t now_us = clock_us();
    trace_record();
    trace_text("CLOSE #%llu:c=%lld,e=%lld,dep=%u,type=0,tim=%lld\n",
               (unsigned long long)number,
               (long long)(cpu_us(0) - began_cpu_us),
               (long long)(now_us - began_us), depth, (long long)now_us);
}
