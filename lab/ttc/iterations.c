// SPDX-License-Identifier: GPL-2.0-or-later
#include "ttc/iterations.h"

#include <stdlib.h>

#include "process/sql_trace.h"
#include "sql/execute/transaction.h"

enum { ERRORS_IN_ARRAY = 24381 };

void iterations_skip(struct server *server, const struct bind_type *bind,
                     unsigned binds, bool again, uint32_t rows) {
    const struct ora_error first = server->error;
    struct bind_value *value = calloc(binds + 1, sizeof *value);
    if (!value)
        server->lost = true; // the markers do the same
    for (; rows > 0 && !server->lost && !server->in.bad; rows--) {
        bind_row_read(server, bind, binds, again, value);
        arena_empty(&server->arena);
    }
    free(value);
    if (!server->lost)
        server->error = first;
}

// A statement can set a PL/SQL array, but read none.
static bool arrays_fit(struct server *server, const struct open_cursor *open) {
    enum { ARRAY_IN_SQL = 1484 };
    for (unsigned i = 0; i < open->cursor.placeholders; i++) {
        const struct bind_type *bind = bind_of(open, i);
        if (!bind || !bind->array)
            continue;
        if (open->cursor.kind != STATEMENT_BLOCK) {
            server_raise(server, ARRAY_IN_SQL, "");
            return false;
        }
        if (cursor_direction(&open->cursor, i) != DIRECTION_OUT) {
            server_raise(server, 3001, "reading a bind that is a PL/SQL array");
            return false;
        }
    }
    return true;
}

// Reads one row of bind values and executes with them.
static bool execute_row(struct server *server, struct open_cursor *open,
                        const struct iterations *todo, bool first,
                        struct bind_value *value) {
    struct ora_error *error = &server->error;
    arena_empty(&server->arena);
    if (todo->values &&
        !(bind_row_read(server, open->bind, open->binds, todo->again, value) &&
          arrays_fit(server, open) &&
          cursor_bind(&open->cursor, value, open->binds, error)))
        return false;
    if (first && todo->values && sql_trace_wants(SQL_TRACE_BINDS))
        bind_row_trace(&open->cursor, open->bind, value, open->binds);
    return cursor_execute(&open->cursor, error) &&
           (!cursor_returns(&open->cursor) || answer_returned(server, open));
}

// The row `at` has been executed, or not. True when the next one shall be.
static bool go_on(struct server *server, const struct iterations *todo,
                  uint32_t at, uint64_t changed) {
    enum { MOST_FAILURES = 65535 };
    struct array_outcome *outcome = &server->outcome;
    struct ora_error *error = &server->error;
    bool is_recorded = true;
    if (server->lost || server->in.bad || server->breaks.stopping)
        return false;
    if (error->number && (!todo->batch_errors || error->number == 1013 ||
                          outcome->failures == MOST_FAILURES))
        return false;
    if (error->number)
        is_recorded = outcome_failed(outcome, at, error);
    *error = (struct ora_error){0};
    if (todo->row_counts)
        is_recorded = outcome_changed(outcome, changed) && is_recorded;
    if (!is_recorded)
        server_raise(server, 4030, "");
    return is_recorded;
}

// Executes once for each row of binds. A query, or a block that sets binds,
// has but one.
static void execute_rows(struct server *server, struct open_cursor *open,
                         const struct iterations *todo) {
    struct cursor *cursor = &open->cursor;
    struct bind_value *value = calloc(open->binds + 1, sizeof *value);
    uint64_t changed = 0;
    uint32_t index = 0;
    bool going = value != NULL;
    if (!value)
        server_raise(server, 4030, "");
    if (cursor_returns(cursor))
        answer_io_vector(server, open);
    statement_call_begins(cursor, EXEC_CALL);
    for (; going && index < todo->count; index++) {
        cursor->rows = 0;
        const bool ok = execute_row(server, open, todo, index == 0, value);
        if (ok)
            changed += cursor->rows;
        going = go_on(server, todo, index, ok ? cursor->rows : 0) &&
                !(index + 1 < todo->count && nioqts(&server->breaks));
    }
    free(value);
    if (todo->values && index < todo->count)
        iterations_skip(server, open->bind, open->binds, todo->again,
                        todo->count - index);
    cursor->rows = changed;
    if (server->database.call.kind == EXEC_CALL)
        statement_call_ends(&server->database,
                            cursor->kind == STATEMENT_BLOCK   ? going
                            : cursor->kind == STATEMENT_QUERY ? 0
                                                              : changed,
                            &server->error);
}

bool iterations_run(struct server *server, struct open_cursor *open,
                    const struct iterations *todo) {
    const struct cursor *cursor = &open->cursor;
    if (todo->count > 1 && cursor->kind == STATEMENT_BLOCK &&
        cursor_sets_any(cursor)) {
        if (todo->values)
            iterations_skip(server, open->bind, open->binds, todo->again,
                            todo->count);
        server_raise(server, 3001, "INTO with an array of binds");
        return false;
    }
    const size_t start = server->out.length;
    execute_rows(server, open, todo);
    // A message that breaks off within its bind values executes nothing.
    if (server->error.number || server->lost || server->in.bad ||
        server->breaks.stopping) {
        server->out.length = start; // values of RETURNING
        return false;
    }
    if (server->outcome.failures > 0) {
        server_raise(server, ERRORS_IN_ARRAY, "");
        return true;
    }
    if (todo->commit && !transaction_commit(&server->database)) {
        transaction_error(&server->database, &server->error);
        return false;
    }
    return true;
}
