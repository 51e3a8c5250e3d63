// SPDX-License-Identifier: GPL-2.0-or-later
// Binds that a statement sets: the targets of INTO, of a block or of RETURNING,
// and cursors that a block opens.
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "sql/types/oracle_date.h"
#include "sql/types/utf16.h"
#include "sql/types/value.h"
#include "ttc/bind_types.h"
#include "ttc/server.h"

// Clients declare a bind for each placeholder, or one for each distinct name.
static bool is_by_name(const struct open_cursor *open) {
    return open->binds != open->cursor.placeholders;
}

struct bind_type *bind_of(const struct open_cursor *open, unsigned at) {
    const unsigned bind = cursor_value_of(&open->cursor, at, is_by_name(open));
    return bind < open->binds ? &open->bind[bind] : NULL;
}

bool bind_is_first(const struct open_cursor *open, unsigned at) {
    return !is_by_name(open) || open->cursor.first[at] == at;
}

void answer_io_vector(struct server *server, struct open_cursor *open) {
    static const uint8_t marks[] = {
        [DIRECTION_IN] = 32, [DIRECTION_OUT] = 16, [DIRECTION_IN_OUT] = 48};
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
        if (!bind || !bind_is_first(open, i))
            continue;
        const enum direction direction = cursor_direction(cursor, i);
        bind->out = direction == DIRECTION_OUT;
        out_u8(out, marks[direction]);
    }
}

// The column that a value of the bind would be in. False: a client would read
// it in a form that is not known here.
static bool column_of(const struct bind_type *bind, struct column *column) {
    static const struct {
        unsigned bind;
        struct column column;
    } known[] = {
        {TYPE_VARCHAR2, {.type = COLUMN_VARCHAR2}},
        {TYPE_LONG, {.type = COLUMN_VARCHAR2}},
        {TYPE_CHAR, {.type = COLUMN_VARCHAR2}},
        {TYPE_NUMBER, {.type = COLUMN_NUMBER}},
        {TYPE_INTEGER, {.type = COLUMN_NUMBER}},
        {TYPE_BINARY_FLOAT, {.type = COLUMN_BINARY_FLOAT}},
        {TYPE_BINARY_DOUBLE, {.type = COLUMN_BINARY_DOUBLE}},
        {TYPE_DATE, {.type = COLUMN_DATE, .size = DATE_BYTES}},
        {TYPE_RAW, {.type = COLUMN_RAW}},
        {TYPE_LONG_RAW, {.type = COLUMN_RAW}},
        {TYPE_CLOB, {.type = COLUMN_CLOB}},
        {TYPE_BLOB, {.type = COLUMN_BLOB}},
        {TYPE_TIMESTAMP, {.type = COLUMN_TIMESTAMP, .size = TIMESTAMP_BYTES}},
        {TYPE_PROGRAM_TIMESTAMP,
         {.type = COLUMN_TIMESTAMP, .size = TIMESTAMP_BYTES}},
        {TYPE_TIMESTAMP_TZ,
         {.type = COLUMN_TIMESTAMP_TZ, .size = TIMESTAMP_TZ_BYTES}},
        {TYPE_PROGRAM_TIMESTAMP_TZ,
         {.type = COLUMN_TIMESTAMP_TZ, .size = TIMESTAMP_TZ_BYTES}},
        {TYPE_INTERVAL_YM,
         {.type = COLUMN_INTERVAL_YM, .size = INTERVAL_YM_WIRE}},
        {TYPE_PROGRAM_INTERVAL_YM,
         {.type = COLUMN_INTERVAL_YM, .size = INTERVAL_YM_WIRE}},
        {TYPE_INTERVAL_DS,
         {.type = COLUMN_INTERVAL_DS, .size = INTERVAL_DS_WIRE}},
        {TYPE_PROGRAM_INTERVAL_DS,
         {.type = COLUMN_INTERVAL_DS, .size = INTERVAL_DS_WIRE}},
    };
    for (size_t i = 0; bind && i < sizeof known / sizeof *known; i++)
        if (bind->type == known[i].bind) {
            *column = known[i].column;
            return true;
        }
    *column = (struct column){.type = COLUMN_VARCHAR2};
    return !bind;
}

static bool answer_national(struct server *server, sqlite3_value *value) {
    const char *text = (const char *)sqlite3_value_text(value);
    const size_t length = (size_t)sqlite3_value_bytes(value);
    uint8_t *wide = text && sqlite3_value_type(value) == SQLITE_TEXT
                        ? arena_take(&server->arena, 2 * length + 1)
                        : NULL;
    if (!wide)
        return false;
    out_clr(&server->out, wide, utf16_from_utf8(text, length, wide));
    return true;
}

static bool answer_value_of_bind(struct server *server,
                                 const struct bind_type *bind,
                                 sqlite3_value *value) {
    enum { FORM_NATIONAL = 2 };
    struct column column;
    const bool null = !value || sqlite3_value_type(value) == SQLITE_NULL;
    const bool is_known = column_of(bind, &column);
    if (!value && is_known) {
        out_u8(&server->out, 0);
        return true;
    }
    const bool lob = column.type == COLUMN_CLOB || column.type == COLUMN_BLOB;
    bool ok = false;
    if (bind && column.type == COLUMN_VARCHAR2 && is_known && !null &&
        bind->form == FORM_NATIONAL)
        ok = answer_national(server, value);
    else if (is_known)
        return answer_value(server, &column, lob ? bind : NULL, value);
    if (!ok) {
        char about[48];
        snprintf(about, sizeof about, "an OUT bind of type %u",
                 bind ? bind->type : 0U);
        server_raise(server, 3001, about);
    }
    return ok;
}

bool answer_out_bind(struct server *server, const struct open_cursor *open,
                     unsigned at, sqlite3_value *value) {
    if (!answer_value_of_bind(server, bind_of(open, at), value))
        return false;
    out_ub(&server->out, 0); // nothing was cut off
    return true;
}

// For each bind the number of rows, and its value in each.
bool answer_returned(struct server *server, struct open_cursor *open) {
    struct cursor *cursor = &open->cursor;
    const struct returned_rows *returned = &cursor->returned;
    const size_t rows = returned->count / cursor->columns;
    const size_t start = server->out.length;
    out_u8(&server->out, MESSAGE_ROW_DATA);
    for (unsigned i = 0; i < cursor->columns; i++) {
        out_ub(&server->out, rows);
        for (size_t row = 0; row < rows; row++)
            if (!answer_out_bind(server, open, cursor->into_from + i,
                                 returned->value[row * cursor->columns + i])) {
                server->out.length = start; // the error alone
                returned_rows_forget(&cursor->returned);
                return false;
            }
    }
    returned_rows_forget(&cursor->returned);
    return true;
}
