// SPDX-License-Identifier: GPL-2.0-or-later
// Execute, fetch, execute again: everything that is done with a cursor.
#include <stdlib.h>
#include <strings.h>

#include "ttc/execution.h"
#include "ttc/iterations.h"

enum { NO_DATA_FOUND = 1403, ERRORS_IN_ARRAY = 24381 };

// The rows of an answer, and how it ends: with an error, which "no data
// found" is too.
static void answer_rows(struct server *server, struct open_cursor *open,
                        uint32_t wanted) {
    struct cursor *cursor = &open->cursor;
    uint32_t sent = 0;
    server->database.rows_wanted = wanted;
    if (wanted > 0)
        statement_call_begins(cursor, FETCH_CALL);
    while (sent < wanted && !server->error.number) {
        if (!cursor_advance(cursor, &server->error) || cursor->at_end)
            break;
        if (sent == 0)
            answer_row_header(server, cursor, wanted);
        size_t whole_rows = server->out.length;
        if (!answer_row(server, open)) {
            server->out.length = whole_rows;
            break;
        }
        cursor->row_ready = false;
        cursor->rows++;
        sent++;
        answer_flush(server);
    }
    if (wanted > 0 && cursor->at_end && !server->error.number)
        ora_error_set(&server->error, 1403, "");
    statement_call_ends(&server->database, sent, &server->error);
}

static bool is_query(const struct cursor *cursor) {
    return cursor->kind == STATEMENT_QUERY;
}

static bool is_change(const struct cursor *cursor) {
    return cursor->kind >= STATEMENT_INSERT && cursor->kind <= STATEMENT_DELETE;
}

// Whether a column is a LOB: then no row is sent before it is asked for,
// because clients first define how they want it.
static bool has_lobs(const struct cursor *cursor) {
    for (unsigned i = 0; i < cursor->columns; i++)
        if (cursor->column[i].type == COLUMN_CLOB ||
            cursor->column[i].type == COLUMN_BLOB)
            return true;
    return false;
}

// go-ora before 2.7 defines nothing: it takes locators, in the answer to its
// execution. Later versions name the rows to prefetch alone.
static bool asks_for_locators(const struct execution *e) {
    return e->prefetch > 0 && !(e->options & OPTION_FETCH);
}

// How many rows the answer to an execute has to have.
static uint32_t rows_wanted(const struct execution *e,
                            const struct open_cursor *open) {
    if ((e->options & OPTION_PARSE) && !open->define && has_lobs(&open->cursor))
        return asks_for_locators(e) ? e->al8[AL8_ITERATIONS] : 0;
    if (e->options & OPTION_FETCH)
        return e->prefetch > 0 ? e->prefetch : e->al8[AL8_ITERATIONS];
    if (!(e->options & OPTION_EXECUTE))
        return 0;
    // go-ora counts on rows when it names how many to prefetch.
    if (e->options & OPTION_PARSE)
        return e->prefetch;
    return e->al8[AL8_IS_QUERY] ? e->al8[AL8_ITERATIONS] : 0;
}

static bool parse(struct server *server, struct execution *e) {
    unsigned id = open_cursor_for_parse(server, e->cursor);
    if (id == 0)
        return false;
    struct open_cursor *open = &server->cursor[id - 1];
    open->open = true;
    server->self->stat[STAT_CURSORS_OPENED]++;
    server->self->stat[STAT_CURSORS_OPEN]++;
    e->cursor = id;
    if (cursor_parse(&open->cursor, &server->database, (const char *)e->sql.at,
                     e->sql.length, &server->error))
        return true;
    open_cursor_close(server, id);
    e->cursor = 0;
    return false;
}

// The cursor of the execution, ready for its binds. NULL after an error.
static struct open_cursor *prepare(struct server *server, struct execution *e) {
    if (e->sql.length > 0 && !parse(server, e))
        return NULL;
    struct open_cursor *open = open_cursor_of(server, e->cursor);
    if (open && e->bind) {
        free(open->bind);
        open->bind = e->bind;
        open->binds = e->binds;
        e->bind = NULL;
        cursor_forget_types(&open->cursor);
    }
    if (open && e->define) {
        free(open->define);
        open->define = e->define;
        open->defines = e->defines;
        e->define = NULL;
    }
    return open;
}

// Clients leave out the values of binds that RETURNING sets, unless they ask
// for a block's way of binding. True if they do.
static bool leaves_out_returned(const struct execution *e,
                                struct open_cursor *open) {
    if (!open || !cursor_returns(&open->cursor))
        return false;
    const bool leaves = !(e->options & OPTION_ALL_VALUES);
    for (unsigned i = open->cursor.into_from; i < open->cursor.into_to; i++) {
        struct bind_type *bind = bind_of(open, i);
        if (bind)
            bind->out = leaves;
    }
    return leaves;
}

// Whether the client may have left out values of binds of a statement that
// could not be parsed: then nobody knows which, and the end of its message is
// not found. A text that only looks like RETURNING costs an exchange of
// markers.
static bool may_leave_out_returned(const struct execution *e) {
    static const char word[] = "return";
    if (e->options & OPTION_ALL_VALUES)
        return false;
    for (size_t i = 0; i + sizeof word - 1 <= e->sql.length; i++)
        if (strncasecmp((const char *)e->sql.at + i, word, sizeof word - 1) ==
            0)
            return true;
    return false;
}

// How many rows of binds the message has: one, unless something is to be done
// for each of several. JDBC executes with binds that it declared before, and
// does not announce them.
static uint32_t rows_of_binds(const struct execution *e,
                              const struct open_cursor *open, bool query) {
    const bool declared = (e->options & OPTION_BIND) && e->binds > 0;
    const bool is_known =
        (e->options & OPTION_EXECUTE) && open && open->binds > 0;
    const uint32_t rows = e->al8[AL8_ITERATIONS];
    if (!declared && !is_known)
        return 0;
    return query || rows == 0 ? 1 : rows;
}

// The next rows of a scrollable cursor are asked for as if it were to be
// executed, but from where it is.
static bool fetches_on(const struct execution *e, const struct cursor *cursor) {
    return (e->al8[AL8_FLAGS] & FLAG_SCROLLABLE) &&
           e->al8[AL8_ORIENTATION] == FETCH_CURRENT &&
           e->al8[AL8_POSITION] > 1 && cursor->executed;
}

// Carries the execution out and returns its cursor; NULL after an error.
static struct open_cursor *execute(struct server *server, struct execution *e) {
    struct open_cursor *open = prepare(server, e);
    const bool query =
        e->al8[AL8_IS_QUERY] || (open && is_query(&open->cursor));
    const uint32_t rows = rows_of_binds(e, open, query);
    const bool left_out = leaves_out_returned(e, open);
    server->database.fetch_follows =
        open && is_query(&open->cursor) && rows_wanted(e, open) > 0;
    server->database.rows_wanted =
        server->database.fetch_follows ? rows_wanted(e, open) : 0;
    if (!open && rows > 0 && may_leave_out_returned(e)) {
        server->lost = true;
        return NULL;
    }
    if (!open) {
        iterations_skip(server, e->bind, e->binds, false, rows);
        return NULL;
    }
    if (!(e->options & OPTION_EXECUTE) || fetches_on(e, &open->cursor)) {
        iterations_skip(server, open->bind, open->binds, left_out, rows);
        return server->error.number == 0 &&
                       cursor_describe(&open->cursor, &server->error)
                   ? open
                   : NULL;
    }
    if (open->cursor.placeholders > 0 && open->binds == 0) {
        server_raise(server, 1008, "");
        return NULL;
    }
    const uint32_t count = e->al8[AL8_ITERATIONS];
    const bool change = is_change(&open->cursor);
    const struct iterations todo = {
        .count = query || count == 0 ? 1 : count,
        .values = rows > 0,
        .again = left_out,
        .commit = e->options & OPTION_COMMIT,
        .batch_errors = change && (e->options & OPTION_BATCH_ERRORS),
        .row_counts = change && (e->al8[AL8_FLAGS] & FLAG_ROW_COUNTS),
    };
    const bool ok = iterations_run(server, open, &todo);
    return ok || todo.row_counts ? open : NULL;
}

// Stands a scrollable cursor where the client wants it. The position that comes
// with RELATIVE is that of a row, counted from the first, as with ABSOLUTE:
// python-oracledb, the one driver with such cursors, has added where it is.
static void scroll(struct server *server, const struct execution *e,
                   struct cursor *cursor) {
    uint64_t row = e->al8[AL8_POSITION];
    if (!(e->al8[AL8_FLAGS] & FLAG_SCROLLABLE) || !cursor->executed ||
        !cursor_keep_rows(cursor, &server->error))
        return;
    switch (e->al8[AL8_ORIENTATION]) {
    case FETCH_FIRST:
        row = 1;
        break;
    case FETCH_LAST:
        row = cursor_row_count(cursor);
        break;
    case FETCH_CURRENT:
    case FETCH_ABSOLUTE:
    case FETCH_RELATIVE:
        break;
    default:
        server_raise(server, 3001, "this orientation of a fetch");
        return;
    }
    cursor_position(cursor, row);
    cursor->rows = row > 0 ? row - 1 : 0;
}

static void answer_execution(struct server *server, const struct execution *e,
                             struct open_cursor *open) {
    const struct cursor *cursor = &open->cursor;
    // Binds of other types can make columns of other types.
    if (is_query(cursor) && ((e->options & OPTION_PARSE) || e->binds > 0))
        answer_describe(server, cursor);
    if (is_query(cursor)) {
        scroll(server, e, &open->cursor);
        answer_rows(server, open, rows_wanted(e, open));
    } else if (cursor->kind == STATEMENT_BLOCK)
        answer_block(server, open);
    answer_parameters(server, server->cursor_in_use);
    if ((e->al8[AL8_FLAGS] & FLAG_ROW_COUNTS) && is_change(cursor))
        answer_row_counts(server);
}

// Drivers forget the cursor of a statement that failed the first time.
static void forget_failed(struct server *server, const struct execution *e) {
    const unsigned error = server->error.number;
    if (error == 0 || error == NO_DATA_FOUND || error == ERRORS_IN_ARRAY ||
        e->sql.length == 0)
        return;
    open_cursor_close(server, server->cursor_in_use);
    server->cursor_in_use = 0;
}

// Oracle's name for the call that parses, executes and fetches in one.
__attribute__((noinline)) void kpoal8(struct server *server) {
    struct execution e;
    if (execution_read(server, &e)) {
        struct open_cursor *open = execute(server, &e);
        if (open && !server->lost)
            answer_execution(server, &e, open);
        statement_call_ends(&server->database, 0, &server->error);
        const uint64_t rows = open ? open->cursor.rows : 0;
        forget_failed(server, &e);
        if (!server->ended && !server->lost)
            answer_error(server, server->cursor_in_use, rows);
    }
    outcome_forget(&server->outcome);
    execution_free(&e);
}

void call_reexecute(struct server *server, bool with_fetch) {
    struct wire_in *in = &server->in;
    uint32_t id = in_ub4(in), iterations = in_ub4(in);
    in_ub(in); // options
    const bool commit = in_ub4(in) & OPTION_COMMIT_AGAIN;
    if (in->bad) {
        server_violated(server, "re-execute message");
        return;
    }
    struct open_cursor *open = open_cursor_of(server, id);
    if (!open) { // how many binds follow is not known either
        server->lost = true;
        return;
    }
    const bool query = with_fetch || is_query(&open->cursor);
    const struct iterations todo = {
        .count = query || iterations == 0 ? 1 : iterations,
        .values = open->binds > 0,
        .again = true,
        .commit = commit,
    };
    server->database.fetch_follows = with_fetch && iterations > 0;
    server->database.rows_wanted = with_fetch ? iterations : 0;
    if (iterations_run(server, open, &todo)) {
        if (is_query(&open->cursor))
            answer_rows(server, open, with_fetch ? iterations : 0);
        else if (open->cursor.kind == STATEMENT_BLOCK)
            answer_block(server, open);
    }
    statement_call_ends(&server->database, 0, &server->error);
    if (server->ended || server->lost)
        return;
    answer_parameters(server, id);
    answer_error(server, server->cursor_in_use, open->cursor.rows);
}

void call_fetch(struct server *server) {
    struct wire_in *in = &server->in;
    uint32_t id = in_ub4(in), rows = in_ub4(in);
    if (in->bad) {
        server_violated(server, "fetch message");
        return;
    }
    struct open_cursor *open = open_cursor_of(server, id);
    if (open && !open->cursor.executed) {
        server_raise(server, 1002, "");
        open = NULL;
    }
    if (open)
        answer_rows(server, open, rows);
    answer_error(server, server->cursor_in_use, open ? open->cursor.rows : 0);
}
