// SPDX-License-Identifier: GPL-2.0-or-later
#include "link/query.h"

#include <stdlib.h>
#include <string.h>

#include "link/execute.h"
#include "ttc/bind_types.h"

enum { NO_DATA_FOUND = 1403, MOST_BYTES = 64 << 20 };

struct kept_row {
    struct kept_row *next;
    struct bytes value[];
};

static void forget_rows(struct remote_query *query) {
    for (int i = 0; i < 2; i++) {
        arena_free(&query->arena[i]);
        query->arena[i].limit = MOST_BYTES;
    }
    query->kept = NULL;
    query->has_repeated = false;
    memset(query->value, 0, query->columns * sizeof *query->value);
}

// The row header tells which columns the first row has, a message of its own
// those of the others.
static void read_bits(struct remote_query *query, size_t bytes) {
    struct wire_in *in = &query->connection->in;
    if (bytes > sizeof query->repeated || bytes < (query->columns + 7) / 8) {
        in_refuse(in, "a bit vector of another length");
        return;
    }
    for (size_t i = 0; i < bytes; i++)
        query->repeated[i] = in_u8(in);
    query->has_repeated = true;
}

static void read_header(struct remote_query *query) {
    struct wire_in *in = &query->connection->in;
    in_u8(in); // flags
    for (int i = 0; i < 4; i++)
        in_ub(in);
    const uint32_t bytes = in_ub4(in);
    if (bytes > 0) {
        in_u8(in); // the length again
        read_bits(query, bytes);
    }
    in_dlc(in);
}

static void read_vector(struct remote_query *query) {
    in_ub(&query->connection->in); // columns sent
    read_bits(query, (query->columns + 7) / 8);
}

static void read_row(struct remote_query *query, struct bytes *value) {
    struct wire_in *in = &query->connection->in;
    for (unsigned i = 0; i < query->columns && !in->bad; i++)
        if (!query->has_repeated || (query->repeated[i / 8] >> i % 8 & 1))
            value[i] = in_clr(in);
    query->has_repeated = false;
}

// The answer has ended.
static bool finish(struct remote_query *query, uint8_t message) {
    struct connection *c = query->connection;
    const bool ok = answer_end(c, message, &query->cursor);
    query->fetching = false;
    c->streaming = NULL;
    c->in.arena = &c->arena;
    if (ok && query->rows == 0 && query->executed)
        query->at_end = true; // or it would be requested again for ever
    if (!ok && c->open && c->error.number == NO_DATA_FOUND) {
        query->at_end = true;
        c->error = (struct ora_error){0};
        return true;
    }
    query->at_end = query->at_end || !ok;
    return ok;
}

// Reads on, to the next row or the end. `*row` is whether there is one, whose
// values are put into `value`.
static bool read_on(struct remote_query *query, struct bytes *value,
                    bool *row) {
    struct connection *c = query->connection;
    struct ora_error changed = {0};
    *row = false;
    for (;;) {
        const uint8_t message = answer_next(c);
        switch (message) {
        case MESSAGE_DESCRIBE:
            if (!query_describe(query) && !c->in.bad) {
                changed = c->error;
                c->stopped = true; // the rows would mean something else
            }
            break;
        case MESSAGE_ROW_HEADER:
            read_header(query);
            break;
        case MESSAGE_BIT_VECTOR:
            read_vector(query);
            break;
        case MESSAGE_PARAMETER:
            answer_parameters_skip(c, &query->cursor);
            break;
        case MESSAGE_ROW_DATA:
            read_row(query, value);
            if (!c->in.bad) {
                query->rows++;
                *row = true;
                return true;
            }
            break;
        default:
            if (finish(query, message) && !changed.number)
                return true;
            if (changed.number)
                c->error = changed;
            return false;
        }
        if (c->in.bad && !c->marked && !c->stopped && !c->tns.gone)
            answer_violated(c, "an answer with rows");
    }
}

// To the end of an answer that has no rows.
static bool read_all(struct remote_query *query) {
    bool row;
    do {
        if (!read_on(query, query->value, &row))
            return false;
    } while (query->fetching);
    return true;
}

bool query_settle(struct connection *c) {
    struct remote_query *query = c->streaming;
    if (!query)
        return true;
    struct arena *arena = &query->arena[query->turn ^= 1];
    struct kept_row **last = &query->kept;
    const struct bytes *previous = query->value;
    arena_empty(arena);
    c->in.arena = arena;
    while (query->fetching) {
        const size_t bytes = query->columns * sizeof *query->value;
        struct kept_row *row = arena_take(arena, sizeof *row + bytes);
        bool is_found;
        if (!row)
            return connection_lost(c, 4030, "");
        row->next = NULL;
        memcpy(row->value, previous, bytes);
        if (!read_on(query, row->value, &is_found))
            return false;
        if (is_found) {
            *last = row;
            last = &row->next;
            previous = row->value;
        }
    }
    return true;
}

static bool begin_fetch(struct remote_query *query) {
    query->connection->streaming = query;
    query->fetching = true;
    query->rows = 0;
    return call_send(query->connection);
}

static bool describe_by_execution(struct remote_query *query) {
    return execute_to_describe(query) && begin_fetch(query) && read_all(query);
}

bool query_parse(struct remote_query *query) {
    struct connection *c = query->connection;
    if (!query_settle(c))
        return false;
    query->executed = false;
    execute_parse(query);
    if (!begin_fetch(query) || !read_all(query))
        return false;
    if (query->cursor == 0 || !query->column)
        return answer_violated(c, "no cursor or no description");
    c->open_cursors++;
    return query_is_typed(query) || describe_by_execution(query);
}

bool query_execute(struct remote_query *query, struct sqlite3_value **value,
                   unsigned values, uint32_t rows) {
    struct connection *c = query->connection;
    if (!query_settle(c))
        return false;
    forget_rows(query);
    query->at_end = false;
    query->executed = rows > 0;
    if (!execute_fetch(query, value, values, rows) || !begin_fetch(query))
        return false;
    if (rows > 0)
        return true;
    const bool ok = read_all(query);
    query->executed = ok;
    return ok;
}

static bool fetch(struct remote_query *query, uint32_t rows) {
    struct connection *c = query->connection;
    if (!query_settle(c))
        return false;
    call_begin(c, CALL_FETCH);
    out_ub(&c->out, query->cursor);
    out_ub(&c->out, rows);
    return begin_fetch(query);
}

bool query_next(struct remote_query *query, uint32_t rows, bool *found) {
    struct connection *c = query->connection;
    *found = false;
    if (query->kept) {
        memcpy(query->value, query->kept->value,
               query->columns * sizeof *query->value);
        query->kept = query->kept->next;
        *found = true;
        return true;
    }
    while (query->fetching || !query->at_end) {
        if (!query->fetching && !fetch(query, rows))
            return false;
        struct arena *arena = &query->arena[query->turn ^= 1];
        arena_empty(arena);
        c->in.arena = arena;
        if (!read_on(query, query->value, found))
            return false;
        if (*found)
            return true;
    }
    return true;
}

void query_free(struct remote_query *query) {
    struct connection *c = query->connection;
    if (c->streaming == query)
        query_settle(c);
    if (c->streaming == query)
        c->streaming = NULL;
    if (c->open && query->cursor > 0) {
        if (c->closing < MOST_TO_CLOSE)
            c->to_close[c->closing++] = query->cursor;
        c->open_cursors--;
    }
    for (int i = 0; i < 2; i++)
        arena_free(&query->arena[i]);
    free(query->sql);
    free(query->column);
    free(query->type);
    free(query->value);
    free(query);
}
