// SPDX-License-Identifier: GPL-2.0-or-later
// Binds that a statement sets: the targets of INTO, of a block or of RETURNING,
// and cursors that a block opens.
#include <sqlite3.h>

#include "sql/oracle_date.h"
#include "sql/value.h"
#include "ttc/server.h"

enum { DIRECTION_IN = 32, DIRECTION_OUT = 16 };

// Clients declare a bind for each placeholder, or one for each distinct name.
static bool is_by_name(const struct open_cursor *open) {
    return open->binds != open->cursor.placeholders;
}

struct bind_type *bind_of(const struct open_cursor *open, unsigned at) {
    const unsigned bind = cursor_value_of(&open->cursor, at, is_by_name(open));
    return bind < open->binds ? &open->bind[bind] : NULL;
}

static bool is_first_of_bind(const struct open_cursor *open, unsigned at) {
    return !is_by_name(open) || open->cursor.first[at] == at;
}

void answer_io_vector(struct server *server, struct open_cursor *open) {
    const struct cursor *cursor = &open->cursor;
    struct wire_out *out = &server->out;
    out_u8(out, MESSAGE_IO_VECTOR);
    out_u8(out, 0);                 // flags
    out_ub(out, open->binds % 256); // binds, in two parts
    out_ub(out, open->binds / 256);
    out_ub(out, 1);    // iterations
    out_zeros(out, 3); // buffer length, bit vector, rowid
    for (unsigned i = 0; i < cursor->placeholders; i++) {
        struct bind_type *bind = bind_of(open, i);
        if (!bind || !is_first_of_bind(open, i))
            continue;
        bind->out = cursor_sets(cursor, i);
        out_u8(out, bind->out ? DIRECTION_OUT : DIRECTION_IN);
    }
}

// The column that a value of the bind would be in.
static struct column column_of(const struct bind_type *bind) {
    static const struct column known[] = {
        {.type = COLUMN_NUMBER},
        {.type = COLUMN_DATE, .size = DATE_BYTES},
        {.type = COLUMN_RAW},
        {.type = COLUMN_CLOB},
        {.type = COLUMN_BLOB},
        {.type = COLUMN_TIMESTAMP, .size = TIMESTAMP_BYTES},
        {.type = COLUMN_TIMESTAMP_TZ, .size = TIMESTAMP_TZ_BYTES},
        {.type = COLUMN_INTERVAL_YM, .size = INTERVAL_YM_WIRE},
        {.type = COLUMN_INTERVAL_DS, .size = INTERVAL_DS_WIRE},
    };
    for (size_t i = 0; bind && i < sizeof known / sizeof *known; i++)
        if (bind->type == (unsigned)known[i].type)
            return known[i];
    return (struct column){.type = COLUMN_VARCHAR2};
}

bool answer_out_bind(struct server *server, const struct open_cursor *open,
                     unsigned at, sqlite3_value *value) {
    const struct bind_type *bind = bind_of(open, at);
    const struct column column = column_of(bind);
    const bool lob = column.type == COLUMN_CLOB || column.type == COLUMN_BLOB;
    if (!answer_value(server, &column, lob ? bind : NULL, value))
        return false;
    out_ub(&server->out, 0); // nothing was cut off
    return true;
}

// For each bind the number of rows, and its value in each.
bool answer_returned(struct server *server, struct open_cursor *open) {
    struct cursor *cursor = &open->cursor;
    const struct returned_rows *returned = &cursor->returned;
    const size_t rows = returned->count / cursor->columns;
    out_u8(&server->out, MESSAGE_ROW_DATA);
    for (unsigned i = 0; i < cursor->columns; i++) {
        out_ub(&server->out, rows);
        for (size_t row = 0; row < rows; row++)
            if (!answer_out_bind(server, open, cursor->into_from + i,
                                 returned->value[row * cursor->columns + i]))
                return false;
    }
    returned_rows_forget(&cursor->returned);
    return true;
}
