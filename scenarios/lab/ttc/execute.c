// SPDX-License-Identifier: GPL-2.0-or-later
// Execute, fetch, execute again: everything that is done with a cursor.
#include <stdlib.h>

#include "sql/transaction.h"
#include "ttc/execution.h"

enum { MOST_DEFINES = 1000 };

static bool read_bind_types(struct server *server, struct open_cursor *open,
                            uint32_t count) {
    uint8_t *type = count <= MOST_BINDS ? malloc(count + 1) : NULL;
    for (uint32_t i = 0; i < count && type && !server->in.bad; i++)
        type[i] = read_oac(server);
    free(open->bind_type);
    open->bind_type = type;
    open->bind_types = type ? count : 0;
    if (server->in.bad)
        server_violated(server, "bind descriptions");
    else if (!type)
        server_raise(server, 4030, "");
    return type && !server->in.bad;
}

// Reads one row of bind values, if one comes, and binds it.
static bool bind_row(struct server *server, struct open_cursor *open,
                     bool *came) {
    struct wire_in *in = &server->in;
    *came = false;
    if (open->bind_types == 0 || in_left(in) == 0)
        return true;
    if (in_u8(in) != MESSAGE_ROW_DATA) {
        server_violated(server, "bind row");
        return false;
    }
    *came = true;
    struct bind_value *value = calloc(open->bind_types, sizeof *value);
    if (!value) {
        server_raise(server, 4030, "");
        return false;
    }
    bool bound =
        read_binds(server, open->bind_type, open->bind_types, value) &&
        cursor_bind(&open->cursor, value, open->bind_types, &server->error);
    free(value);
    return bound;
}

// The rows of an answer, and how it ends: with an error, which "no data
// found" is too.
static void answer_rows(struct server *server, struct open_cursor *open,
                        uint32_t wanted) {
    struct cursor *cursor = &open->cursor;
    uint32_t sent = 0;
    while (sent < wanted && !server->error.number) {
        if (!cursor_advance(cursor, &server->error) || cursor->at_end)
            break;
        if (sent == 0)
            answer_row_header(server, cursor, wanted);
        size_t whole_rows = server->out.length;
        if (!answer_row(server, cursor)) {
            server->out.length = whole_rows;
            break;
        }
        cursor->row_ready = false;
        cursor->rows++;
        sent++;
    }
    if (wanted > 0 && cursor->at_end && !server->error.number)
        ora_error_set(&server->error, 1403, "");
}

// Runs what a cursor holds; with several rows of binds, once for each. The
// first one is bound already.
static bool run(struct server *server, struct open_cursor *open,
                uint32_t iterations, bool commit) {
    uint64_t changed = 0;
    bool query = open->cursor.kind == STATEMENT_QUERY ||
                 open->cursor.kind == STATEMENT_BLOCK;
    for (uint32_t i = 0; i < iterations || i == 0; i++) {
        bool came = false;
        if (i > 0 && (!bind_row(server, open, &came) || !came))
            break;
        if (!cursor_execute(&open->cursor, &server->error))
            break;
        changed += open->cursor.rows;
        if (query)
            break;
    }
    open->cursor.rows = changed;
    if (server->error.number || server->ended)
        return false;
    if (commit && !transaction_commit(&server->database)) {
        ora_error_from_sqlite(&server->error, server->database.db);
        return false;
    }
    return true;
}

// How many rows the answer to an execute has to have.
static uint32_t rows_wanted(const struct execution *e) {
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
    unsigned id = cursor_for_parse(server, e->cursor);
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
    close_cursor(server, id);
    e->cursor = 0;
    return false;
}

// Carries the execution out and returns its cursor; NULL after an error.
static struct open_cursor *execute(struct server *server, struct execution *e) {
    bool came;
    if (e->sql.length > 0 && !parse(server, e))
        return NULL;
    struct open_cursor *open = cursor_of(server, e->cursor);
    if (!open)
        return NULL;
    if (e->has_binds && e->binds > 0) {
        if (!read_bind_types(server, open, e->binds))
            return NULL;
        cursor_forget_types(&open->cursor);
    }
    for (uint32_t i = 0; e->has_defines && i < e->defines; i++) {
        read_oac(server);
        if (server->in.bad || i == MOST_DEFINES) {
            server_violated(server, "define descriptions");
            return NULL;
        }
    }
    if (!bind_row(server, open, &came))
        return NULL;
    if (!(e->options & OPTION_EXECUTE))
        return open;
    if (open->cursor.placeholders > 0 && open->bind_types == 0) {
        server_raise(server, 1008, "");
        return NULL;
    }
    return run(server, open, e->al8[AL8_ITERATIONS], e->options & OPTION_COMMIT)
               ? open
               : NULL;
}

// Oracle's name for the call that parses, executes and fetches in one.
__attribute__((noinline)) void kpoal8(struct server *server) {
    struct execution e;
    read_execution(server, &e);
    if (server->in.bad) {
        server_violated(server, "execute message");
        return;
    }
    struct open_cursor *open = execute(server, &e);
    if (open) {
        bool query = open->cursor.kind == STATEMENT_QUERY;
        // Binds of other types can make columns of other types.
        if (query && ((e.options & OPTION_PARSE) || e.has_binds))
            answer_describe(server, &open->cursor);
        if (query)
            answer_rows(server, open, rows_wanted(&e));
        else if (open->cursor.kind == STATEMENT_BLOCK)
            answer_block(server, open);
    }
    uint64_t rows = open ? open->cursor.rows : 0;
    bool failed = server->error.number && server->error.number != 1403;
    if (failed && e.sql.length > 0) {
        // Drivers forget the cursor of a statement that failed the first time.
        close_cursor(server, server->cursor_in_use);
        server->cursor_in_use = 0;
    }
    if (open) {
        answer_parameters(server, server->cursor_in_use);
        // JDBC asks for the rows of each element of an array of binds. There
        // is but one element, and it waits for ever if nothing is said of it.
        if ((e.al8[AL8_FLAGS] & FLAG_ROW_COUNTS) &&
            open->cursor.kind >= STATEMENT_INSERT &&
            open->cursor.kind <= STATEMENT_DELETE) {
            out_ub(&server->out, 1);
            out_ub(&server->out, rows);
        }
    }
    if (!server->ended)
        answer_error(server, server->cursor_in_use, rows);
}

void re_execute(struct server *server, bool with_fetch) {
    struct wire_in *in = &server->in;
    uint32_t id = in_ub4(in), iterations = in_ub4(in);
    in_ub(in); // options
    const bool commit = in_ub4(in) & OPTION_COMMIT_AGAIN;
    bool came;
    struct open_cursor *open = in->bad ? NULL : cursor_of(server, id);
    if (in->bad)
        server_violated(server, "re-execute message");
    if (open && bind_row(server, open, &came) &&
        run(server, open, with_fetch ? 1 : iterations, commit)) {
        if (open->cursor.kind == STATEMENT_QUERY)
            answer_rows(server, open, with_fetch ? iterations : 0);
        else if (open->cursor.kind == STATEMENT_BLOCK)
            answer_block(server, open);
    }
    if (server->ended)
        return;
    if (open)
        answer_parameters(server, id);
    answer_error(server, server->cursor_in_use, open ? open->cursor.rows : 0);
}

void fetch(struct server *server) {
    struct wire_in *in = &server->in;
    uint32_t id = in_ub4(in), rows = in_ub4(in);
    if (in->bad) {
        server_violated(server, "fetch message");
        return;
    }
    struct open_cursor *open = cursor_of(server, id);
    if (open && !open->cursor.executed) {
        server_raise(server, 1002, "");
        open = NULL;
    }
    if (open)
        answer_rows(server, open, rows);
    answer_error(server, server->cursor_in_use, open ? open->cursor.rows : 0);
}
