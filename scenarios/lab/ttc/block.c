// SPDX-License-Identifier: GPL-2.0-or-later
// The answer to a PL/SQL block: which binds it sets, and to what.
#include <sqlite3.h>

#include "sql/oracle_date.h"
#include "ttc/server.h"

enum {
    DIRECTION_IN = 32,
    DIRECTION_OUT = 16,
    NO_DATA_FOUND = 1403,
    TOO_MANY_ROWS = 1422,
    NOT_ENOUGH_VALUES = 947,
};

static bool is_out(const struct cursor *cursor, unsigned placeholder) {
    return placeholder >= cursor->into_from && placeholder < cursor->into_to;
}

// From now on the client sends no values for those that are OUT.
static void answer_io_vector(struct server *server, struct open_cursor *open) {
    const struct cursor *cursor = &open->cursor;
    struct wire_out *out = &server->out;
    unsigned bind = 0;
    out_u8(out, MESSAGE_IO_VECTOR);
    out_u8(out, 0);                   // flags
    out_ub(out, cursor->names % 256); // binds, in two parts
    out_ub(out, cursor->names / 256);
    out_ub(out, 1);    // iterations
    out_zeros(out, 3); // buffer length, bit vector, rowid
    for (unsigned i = 0; i < cursor->placeholders; i++)
        if (cursor->first[i] == i) {
            out_u8(out, is_out(cursor, i) ? DIRECTION_OUT : DIRECTION_IN);
            if (bind < open->binds)
                open->bind[bind++].out = is_out(cursor, i);
        }
}

// The type declared for the bind that placeholder `at` has.
static enum column_type type_of(const struct open_cursor *open, unsigned at) {
    unsigned bind = 0;
    for (unsigned i = 0; i < at; i++)
        bind += open->cursor.first[i] == i;
    uint8_t type = bind < open->binds ? open->bind[bind].type : 0;
    switch (type) {
    case COLUMN_NUMBER:
    case COLUMN_DATE:
    case COLUMN_RAW:
    case COLUMN_TIMESTAMP:
    case COLUMN_TIMESTAMP_TZ:
        return type;
    default:
        return COLUMN_VARCHAR2;
    }
}

static bool answer_values(struct server *server,
                          const struct open_cursor *open) {
    const struct cursor *cursor = &open->cursor;
    out_u8(&server->out, MESSAGE_ROW_DATA);
    for (unsigned i = 0; i < cursor->columns; i++) {
        struct column as = cursor->column[i];
        as.type = type_of(open, cursor->into_from + i);
        as.size = as.type == COLUMN_DATE        ? DATE_BYTES
                  : as.type == COLUMN_TIMESTAMP ? TIMESTAMP_BYTES
                                                : TIMESTAMP_TZ_BYTES;
        if (!answer_value(server, &as,
                          sqlite3_column_value(cursor->statement, (int)i)))
            return false;
        out_ub(&server->out, 0); // nothing was cut off
    }
    return true;
}

void answer_block(struct server *server, struct open_cursor *open) {
    struct cursor *cursor = &open->cursor;
    if (!cursor->statement)
        return;
    size_t start = server->out.length;
    if (cursor->into_to == cursor->into_from) {
        ; // calls: no bind takes their values
    } else if (cursor->columns != cursor->into_to - cursor->into_from) {
        server_raise(server, NOT_ENOUGH_VALUES, "");
    } else if (!cursor->row_ready) {
        server_raise(server, NO_DATA_FOUND, "");
    } else {
        answer_io_vector(server, open);
        if (answer_values(server, open)) {
            cursor->row_ready = false;
            if (cursor_advance(cursor, &server->error) && cursor->row_ready)
                server_raise(server, TOO_MANY_ROWS, "");
        }
    }
    cursor->rows = 1;
    if (server->error.number)
        server->out.length = start;
    sqlite3_reset(cursor->statement);
    statement_call_ends(&server->database, server->error.number ? 0 : 1,
                        &server->error);
}
