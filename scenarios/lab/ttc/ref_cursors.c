// SPDX-License-Identifier: GPL-2.0-or-later
// Cursors that a block opens: REF CURSORs, and implicit results.
#include "ttc/server.h"

static void close_all(struct server *server, struct open_cursor *open) {
    for (unsigned i = 0; i < open->cursor.opens; i++) {
        open_cursor_close(server, open->opened[i]);
        open->opened[i] = 0;
    }
}

// The values of the query's own placeholders, in their order.
static bool bind(struct server *server, const struct open_cursor *open,
                 const struct opened_query *query,
                 const struct bind_value *value, struct cursor *cursor) {
    const bool by_name = open->binds != open->cursor.placeholders;
    struct bind_value own[MOST_OPENED_BINDS];
    for (unsigned i = 0; i < query->binds; i++)
        own[i] = query->bind[i] == NO_PLACEHOLDER
                     ? (struct bind_value){.kind = BIND_NULL}
                     : value[cursor_value_of(&open->cursor, query->bind[i],
                                             by_name)];
    return cursor_bind(cursor, own, query->binds, &server->error);
}

static bool open_one(struct server *server, struct open_cursor *open,
                     unsigned at, const struct bind_value *value) {
    const struct opened_query *query = &open->cursor.opened[at];
    const unsigned id = open_cursor_for_parse(server, 0);
    if (id == 0)
        return false;
    struct open_cursor *opened = &server->cursor[id - 1];
    opened->open = true;
    open->opened[at] = id;
    server->self->stat[STAT_CURSORS_OPENED]++;
    server->self->stat[STAT_CURSORS_OPEN]++;
    const bool executed =
        cursor_parse(&opened->cursor, &server->database, query->query,
                     query->query_length, &server->error) &&
        bind(server, open, query, value, &opened->cursor) &&
        cursor_execute(&opened->cursor, &server->error);
    statement_call_ends(&server->database, 0, &server->error);
    return executed;
}

bool ref_cursors_open(struct server *server, struct open_cursor *open,
                      const struct bind_value *value) {
    for (unsigned i = 0; i < open->cursor.opens; i++)
        open->opened[i] = 0;
    // One call runs at a time: the block's ends before those of its queries.
    if (open->cursor.opens > 0)
        statement_call_ends(&server->database, 1, &server->error);
    for (unsigned i = 0; i < open->cursor.opens; i++)
        if (!open_one(server, open, i, value)) {
            close_all(server, open);
            return false;
        }
    return true;
}

static void answer_cursor(struct server *server, unsigned id) {
    out_u8(&server->out, 1); // the length of something that follows, for some
    answer_columns(server, &server->cursor[id - 1].cursor);
    out_ub(&server->out, id);
}

// The binds in their order.
static void answer_targets(struct server *server, struct open_cursor *open) {
    answer_io_vector(server, open);
    out_u8(&server->out, MESSAGE_ROW_DATA);
    for (unsigned at = 0; at < open->cursor.placeholders; at++)
        for (unsigned i = 0; i < open->cursor.opens; i++)
            if (open->cursor.opened[i].target == at) {
                answer_cursor(server, open->opened[i]);
                out_ub(&server->out, 0); // nothing was cut off
            }
}

static void answer_results(struct server *server,
                           const struct open_cursor *open, unsigned results) {
    out_u8(&server->out, MESSAGE_IMPLICIT_RESULTS);
    out_ub(&server->out, results);
    for (unsigned i = 0; i < open->cursor.opens; i++)
        if (open->cursor.opened[i].returned) {
            out_u8(&server->out, 0);
            answer_columns(server, &server->cursor[open->opened[i] - 1].cursor);
            out_ub(&server->out, open->opened[i]);
        }
}

void answer_ref_cursors(struct server *server, struct open_cursor *open) {
    unsigned results = 0, targets = 0;
    for (unsigned i = 0; i < open->cursor.opens; i++) {
        results += open->cursor.opened[i].returned;
        targets += open->cursor.opened[i].target != NO_PLACEHOLDER;
    }
    if (targets > 0)
        answer_targets(server, open);
    if (results > 0)
        answer_results(server, open, results);
}
