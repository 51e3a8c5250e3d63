// SPDX-License-Identifier: GPL-2.0-or-later
// As execution_read() of ttc/ reads it.
#include "link/execute.h"

#include <string.h>

enum { LONGEST_LONG = 0x7fffffff };

struct head {
    uint32_t options;
    unsigned cursor;
    const char *sql; // NULL: the cursor's
    size_t length;
    unsigned values;
    uint32_t count; // of rows, or of executions
    bool query;
};

// Fields that only other statements, or later calls, need.
static void out_nothing_more(struct wire_out *out, uint8_t version) {
    if (version >= 4) {
        out_ub(out, 0); // registration
        out_u8(out, 0);
        out_u8(out, 1);
    }
    if (version >= 5)
        out_zeros(out, 5);
    if (version >= 7)
        out_zeros(out, 3);
    if (version >= 8)
        out_zeros(out, 5);
    if (version >= 9)
        out_zeros(out, 2);
}

static void out_head(struct connection *c, const struct head *head) {
    struct wire_out *out = &c->out;
    call_begin(c, CALL_EXECUTE);
    out_ub(out, head->options | OPTION_NOT_PLSQL |
                    (head->values > 0 ? OPTION_BIND : 0));
    out_ub(out, head->cursor);
    out_u8(out, head->sql != NULL);
    out_ub(out, head->length);
    out_u8(out, 1);
    out_ub(out, AL8_LENGTH);
    out_zeros(out, 2);
    out_ub(out, 0); // prefetch buffer
    out_ub(out, head->query ? head->count : 0);
    out_ub(out, LONGEST_LONG);
    out_u8(out, head->values > 0);
    out_ub(out, head->values);
    out_zeros(out, 5);
    out_u8(out, 0); // defines
    out_ub(out, 0);
    out_nothing_more(out, c->field_version);
    if (head->sql)
        out_clr(out, head->sql, head->length);
    for (int i = 0; i < AL8_LENGTH; i++)
        out_ub(out, i == 0                ? head->sql != NULL
                    : i == AL8_ITERATIONS ? head->count
                    : i == AL8_IS_QUERY   ? head->query
                                          : 0);
}

void execute_parse(struct remote_query *query) {
    const struct head head = {.options = OPTION_PARSE | OPTION_DESCRIBE,
                              .sql = query->sql,
                              .length = query->length,
                              .query = true};
    out_head(query->connection, &head);
}

bool execute_to_describe(struct remote_query *query) {
    struct connection *c = query->connection;
    const struct head head = {.options = OPTION_PARSE | OPTION_EXECUTE,
                              .cursor = query->cursor,
                              .sql = query->sql,
                              .length = query->length,
                              .values = query->binds,
                              .query = true};
    out_head(c, &head);
    if (!query_out_binds(c, NULL, query->binds))
        return false;
    query_out_bind_values(c, NULL, query->binds);
    return true;
}

bool execute_fetch(struct remote_query *query, struct sqlite3_value **value,
                   unsigned values, uint32_t rows) {
    struct connection *c = query->connection;
    const struct head head = {.options = OPTION_EXECUTE |
                                         (rows > 0 ? OPTION_FETCH : 0),
                              .cursor = query->cursor,
                              .values = values,
                              .count = rows,
                              .query = true};
    out_head(c, &head);
    if (!query_out_binds(c, value, values))
        return false;
    query_out_bind_values(c, value, values);
    return true;
}

bool execute_alone(struct connection *c, const char *sql) {
    const struct head head = {.options = OPTION_PARSE | OPTION_EXECUTE,
                              .sql = sql,
                              .length = strlen(sql),
                              .count = 1};
    unsigned cursor = 0;
    if (!query_settle(c))
        return false;
    out_head(c, &head);
    if (!call_send(c))
        return false;
    uint8_t message = answer_next(c);
    while (message == MESSAGE_PARAMETER && answer_parameters_skip(c, &cursor))
        message = answer_next(c);
    const bool ok = answer_end(c, message, &cursor);
    if (cursor && c->open && c->closing < MOST_TO_CLOSE)
        c->to_close[c->closing++] = cursor;
    return ok;
}
