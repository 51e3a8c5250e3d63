// SPDX-License-Identifier: GPL-2.0-or-later
// The messages an answer is made of.
#include <sqlite3.h>
#include <stdint.h>
#include <string.h>

#include "sql/execute/transaction.h"
#include "sql/types/binary_number.h"
#include "sql/types/number_format.h"
#include "sql/types/oracle_date.h"
#include "sql/types/oracle_number.h"
#include "sql/types/value.h"
#include "ttc/bind_types.h"
#include "ttc/capabilities.h"
#include "ttc/server.h"
#include "ttc/wire_number.h"

enum {
    FORM_IMPLICIT = 1,
    FLAG_TEXT = 0x80,
    FETCHED_NULL = 1405,
};

void answer_status(struct server *server) {
    out_u8(&server->out, MESSAGE_STATUS);
    out_ub(&server->out, 1); // call status
    out_ub(&server->out, 0); // end-to-end sequence
}

// The ROWID that a driver gives as that of the last row.
static struct rowid last_changed(const struct server *server, unsigned cursor) {
    const bool none = cursor == 0 || server->error.number;
    return none ? (struct rowid){0} : server->cursor[cursor - 1].cursor.last;
}

static void answer_rowid(struct server *server, struct rowid rowid) {
    struct wire_out *out = &server->out;
    out_ub(out, rowid.object);
    out_ub(out, rowid.file);
    out_u8(out, 0);
    out_ub(out, rowid.block);
    out_ub(out, rowid.slot);
}

void answer_error(struct server *server, unsigned cursor, uint64_t rows) {
    struct wire_out *out = &server->out;
    const struct ora_error *error = &server->error;
    out_u8(out, MESSAGE_ERROR);
    // JDBC commits only if an answer has shown it a transaction.
    bool changing = transaction_is_open(&server->database);
    out_ub(out, 1 | (changing ? CALL_STATUS_IN_TRANSACTION : 0));
    out_ub(out, 0); // end-to-end sequence
    out_ub(out, rows & UINT32_MAX);
    out_ub(out, error->number);
    out_ub(out, 0);
    out_ub(out, 0);
    out_ub(out, cursor);
    out_ub(out, error->position < INT16_MAX ? error->position : 0);
    out_zeros(out, 6); // SQL type, fatal, flags, cursor options, ..., warnings
    answer_rowid(server, last_changed(server, cursor));
    out_ub(out, 0); // operating system error
    out_u8(out, 0); // statement number
    // JDBC checks that the answer is to the call it made last.
    out_u8(out, server->sequence);
    out_ub(out, 0); // padding
    out_ub(out, 0); // successful iterations
    out_ub(out, 0); // a string
    answer_row_errors(server);
    out_ub(out, error->number);
    out_ub(out, rows);
    if (error->number) {
        char text[sizeof error->text + 1];
        size_t length = strlen(error->text);
        memcpy(text, error->text, length);
        text[length++] = '\n';
        out_clr(out, text, length);
    }
}

// go-ora, JDBC, python-oracledb 1 and node-oracledb before 6.3 read the scale
// of these types as a compressed number, later versions of the two as a byte.
// The choice of a real server is not documented. Those that read a byte name
// the newest description of a column (663) in their table of types or have the
// bit 0x08 of capability 5, as links between labs do, and their capability 6 is
// 0. JDBC's is 1.
static void answer_scale(struct server *server, const struct column *column) {
    const bool compressed =
        server->compressed_scales &&
        (column->type == COLUMN_NUMBER || column->type == COLUMN_TIMESTAMP ||
         column->type == COLUMN_TIMESTAMP_TZ ||
         column->type == COLUMN_INTERVAL_DS);
    if (compressed && column->scale < 0)
        out_raw(&server->out,
                (const uint8_t[]){0x80 | 1, (uint8_t)-column->scale}, 2);
    else if (compressed)
        out_ub(&server->out, (uint64_t)column->scale);
    else
        out_u8(&server->out, (uint8_t)column->scale);
}

static void describe_column(struct server *server, const struct column *column,
                            unsigned position) {
    struct wire_out *out = &server->out;
    bool text = column->type == COLUMN_VARCHAR2 || column->type == COLUMN_CLOB;
    size_t name = strlen(column->name);
    out_u8(out, column->fixed ? TYPE_CHAR : (uint8_t)column->type);
    out_u8(out, text ? FLAG_TEXT : 0);
    out_u8(out, (uint8_t)column->precision);
    answer_scale(server, column);
    out_ub(out, column->size);
    out_ub(out, 0); // elements
    out_ub(out, 0); // continuation flags
    out_ub(out, 0); // object id
    out_ub(out, 0); // version
    out_ub(out, text ? CHARSET_AL32UTF8 : 0);
    out_u8(out, text ? FORM_IMPLICIT : 0);
    out_ub(out, text ? column->size : 0);
    if (server->field_version >= 8)
        out_ub(out, 0);
    out_u8(out, 1); // may be NULL
    out_u8(out, (uint8_t)name);
    out_dlc(out, column->name, name);
    out_ub(out, 0); // schema
    out_ub(out, 0); // type name
    out_ub(out, position);
    out_ub(out, 0); // flags
}

void answer_describe(struct server *server, const struct cursor *cursor) {
    out_u8(&server->out, MESSAGE_DESCRIBE);
    out_u8(&server->out, 0);
    answer_columns(server, cursor);
}

void answer_columns(struct server *server, const struct cursor *cursor) {
    struct wire_out *out = &server->out;
    uint64_t widest = 0;
    for (unsigned i = 0; i < cursor->columns; i++)
        widest += cursor->column[i].size;
    out_ub(out, widest);
    out_ub(out, cursor->columns);
    if (cursor->columns > 0)
        out_u8(out, 1);
    for (unsigned i = 0; i < cursor->columns; i++)
        describe_column(server, &cursor->column[i], i + 1);
    out_zeros(out, 6); // date, four numbers, a string
}

void answer_row_header(struct server *server, const struct cursor *cursor,
                       unsigned rows) {
    struct wire_out *out = &server->out;
    out_u8(out, MESSAGE_ROW_HEADER);
    out_u8(out, 0); // flags
    out_ub(out, cursor->columns);
    out_ub(out, 0);
    out_ub(out, rows);
    out_zeros(out, 3); // buffer length, bit vector, rowid
}

// The bytes that a value of the type has on the wire; 0: any number.
static size_t wire_bytes(const struct column *column) {
    switch (column->type) {
    case COLUMN_DATE:
    case COLUMN_TIMESTAMP:
    case COLUMN_TIMESTAMP_TZ:
        return column->size;
    case COLUMN_INTERVAL_YM:
        return INTERVAL_YM_WIRE;
    case COLUMN_INTERVAL_DS:
        return INTERVAL_DS_WIRE;
    default:
        return 0;
    }
}

// The same in SQLite.
static size_t stored_bytes(const struct column *column) {
    return column->type == COLUMN_INTERVAL_YM   ? INTERVAL_YM_BYTES
           : column->type == COLUMN_INTERVAL_DS ? INTERVAL_DS_BYTES
                                                : wire_bytes(column);
}

static bool is_text(const struct column *column) {
    return column->type == COLUMN_VARCHAR2 || column->type == COLUMN_CLOB;
}

static bool is_binary(unsigned type) {
    return type == COLUMN_BINARY_FLOAT || type == COLUMN_BINARY_DOUBLE;
}

static enum value_class class_of(unsigned type) {
    return type == COLUMN_BINARY_FLOAT ? CLASS_BINARY_FLOAT
                                       : CLASS_BINARY_DOUBLE;
}

static bool is_long(const struct bind_type *as) {
    return as &&
           (as->type == TYPE_LONG || as->type == TYPE_LONG_RAW ||
            as->type == TYPE_PROGRAM_LONG || as->type == TYPE_PROGRAM_LONG_RAW);
}

// Whether a LOB is to be sent as a locator, not as the string that it is.
static bool wants_locator(const struct column *column,
                          const struct bind_type *as) {
    const bool lob = column->type == COLUMN_CLOB || column->type == COLUMN_BLOB;
    return lob && (!as || as->type == TYPE_CLOB || as->type == TYPE_BLOB);
}

// As the text that it is to users, where the column is not one of ROWIDs: the
// binds that RETURNING sets are none.
static bool answer_rowid_value(struct server *server,
                               const struct column *column,
                               sqlite3_value *value) {
    enum { LENGTH = 14 }; // as JDBC sends it; drivers read that there is one
    struct rowid rowid;
    char text[ROWID_TEXT + 1];
    rowid_read(sqlite3_value_blob(value), &rowid);
    if (column->type == COLUMN_ROWID) {
        out_u8(&server->out, LENGTH);
        answer_rowid(server, rowid);
        return true;
    }
    if (column->type != COLUMN_VARCHAR2) {
        server_raise(server, 932, "expected ROWID");
        return false;
    }
    rowid_to_text(&rowid, text);
    out_clr(&server->out, text, ROWID_TEXT);
    return true;
}

// The type that a column of numbers is sent as, or 0.
static unsigned number_on_wire(const struct column *column,
                               const struct bind_type *as) {
    if (column->type != COLUMN_NUMBER && !is_binary(column->type))
        return 0;
    return as && (as->type == TYPE_NUMBER || is_binary(as->type))
               ? as->type
               : column->type;
}

static bool answer_bytes(struct server *server, const struct column *column,
                         const struct bind_type *as, sqlite3_value *value) {
    struct wire_out *out = &server->out;
    const unsigned numeric = number_on_wire(column, as);
    int type = sqlite3_value_type(value);
    if (type == SQLITE_NULL) {
        out_u8(out, 0);
        return true;
    }
    if (numeric == COLUMN_NUMBER)
        return answer_number(server, value);
    if (is_binary(numeric))
        return answer_binary_number(server, class_of(numeric), value);
    const enum value_class class = value_class(value);
    if (column->type == COLUMN_VARCHAR2 && class == CLASS_NUMBER)
        return answer_number_as_text(server, value);
    if (class == CLASS_ROWID)
        return answer_rowid_value(server, column, value);
    if (is_text(column) != (type != SQLITE_BLOB)) {
        server_raise(server, 3001, "mixed types in a column");
        return false;
    }
    const void *data = type == SQLITE_BLOB ? sqlite3_value_blob(value)
                                           : sqlite3_value_text(value);
    size_t length = (size_t)sqlite3_value_bytes(value);
    if (wants_locator(column, as))
        return answer_lob(server, as, is_text(column), data, length);
    if (stored_bytes(column) > 0 && length != stored_bytes(column)) {
        server_raise(server, 3001, "mixed types in a column");
        return false;
    }
    if (wire_bytes(column) > 0)
        length = wire_bytes(column);
    out_clr(out, data, length);
    return true;
}

// SQLite lets every row have its own types; the wire has those described.
bool answer_value(struct server *server, const struct column *column,
                  const struct bind_type *as, sqlite3_value *value) {
    if (!answer_bytes(server, column, as, value))
        return false;
    if (is_long(as)) { // an indicator of NULL, and a code, both compressed
        const bool null = sqlite3_value_type(value) == SQLITE_NULL;
        if (null)
            out_raw(&server->out, (const uint8_t[]){0x81, 1}, 2);
        else
            out_u8(&server->out, 0);
        out_ub(&server->out, null ? FETCHED_NULL : 0);
    }
    return true;
}

bool answer_row(struct server *server, const struct open_cursor *open) {
    const struct cursor *cursor = &open->cursor;
    out_u8(&server->out, MESSAGE_ROW_DATA);
    for (unsigned i = 0; i < cursor->columns; i++)
        if (!answer_value(server, &cursor->column[i],
                          i < open->defines ? &open->define[i] : NULL,
                          sqlite3_column_value(cursor_row(cursor), (int)i)))
            return false;
    return true;
}

void answer_parameters(struct server *server, unsigned cursor) {
    struct wire_out *out = &server->out;
    out_u8(out, MESSAGE_PARAMETER);
    out_ub(out, 6); // JDBC wants at least 3
    out_zeros(out, 2);
    out_ub(out, cursor);
    out_zeros(out, 3);
    out_zeros(out, 3); // a string, pairs, registrations
}
