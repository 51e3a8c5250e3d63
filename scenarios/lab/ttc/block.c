// SPDX-License-Identifier: GPL-2.0-or-later
// The answer to a PL/SQL block: which binds it sets, and to what.
#include <sqlite3.h>

#include "ttc/server.h"

enum {
    NO_DATA_FOUND = 1403,
    TOO_MANY_ROWS = 1422,
    NOT_ENOUGH_VALUES = 947,
};

static bool answer_values(struct server *server,
                          const struct open_cursor *open) {
    const struct cursor *cursor = &open->cursor;
    out_u8(&server->out, MESSAGE_ROW_DATA);
    for (unsigned i = 0; i < cursor->columns; i++)
        if (!answer_out_bind(server, open, cursor->into_from + i,
                             sqlite3_column_value(cursor->statement, (int)i)))
            return false;
    return true;
}

void answer_block(struct server *server, struct open_cursor *open) {
    struct cursor *cursor = &open->cursor;
    if (cursor->opens > 0)
        answer_ref_cursors(server, open);
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
    if (server->error.number)
        server->out.length = start;
    sqlite3_reset(cursor->statement);
    statement_call_ends(&server->database, server->error.number ? 0 : 1,
                        &server->error);
}
