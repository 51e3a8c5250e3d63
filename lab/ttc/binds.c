// SPDX-License-Identifier: GPL-2.0-or-later
// Rows of bind values as they come.
#include <stdio.h>

#include "ttc/bind_types.h"
#include "ttc/server.h"

// How many values a row of binds has in the message.
static unsigned binds_in_row(const struct bind_type *bind, unsigned count,
                             bool again) {
    unsigned values = 0;
    for (unsigned i = 0; i < count; i++)
        values += !again || !bind[i].out;
    return values;
}

// How many bytes the values of other types have is not known here.
static bool is_byte_string(uint8_t type) {
    switch (type) {
    case TYPE_VARCHAR2:
    case TYPE_NUMBER:
    case TYPE_INTEGER:
    case TYPE_LONG:
    case TYPE_DATE:
    case TYPE_RAW:
    case TYPE_LONG_RAW:
    case TYPE_CHAR:
    case TYPE_BOOLEAN:
    case TYPE_BINARY_FLOAT:
    case TYPE_BINARY_DOUBLE:
    case TYPE_TIMESTAMP:
    case TYPE_TIMESTAMP_TZ:
    case TYPE_TIMESTAMP_LTZ:
    case TYPE_PROGRAM_TIMESTAMP:
    case TYPE_PROGRAM_TIMESTAMP_TZ:
    case TYPE_PROGRAM_TIMESTAMP_LTZ:
    case TYPE_INTERVAL_YM:
    case TYPE_INTERVAL_DS:
    case TYPE_PROGRAM_INTERVAL_YM:
    case TYPE_PROGRAM_INTERVAL_DS:
        return true;
    default:
        return false;
    }
}

static bool take(struct server *server, const struct bind_type *bind,
                 struct bytes bytes, struct bind_value *value) {
    const struct value_reader reader = {&server->arena, &server->lobs,
                                        &server->error};
    return server->in.bad || bind_value_take(&reader, bind, bytes, value);
}

// A locator, with its length in front; NULL is a length of 0 alone.
static bool read_locator(struct server *server, const struct bind_type *bind,
                         struct bind_value *value) {
    struct bytes bytes = {NULL, 0};
    if (in_ub(&server->in) > 0)
        bytes = in_clr(&server->in);
    return take(server, bind, bytes, value);
}

// A cursor to be opened, whose value is its number, or 0; nothing needs it.
static bool read_cursor(struct server *server) {
    if (in_ub(&server->in) > 0)
        in_ub(&server->in);
    return true;
}

// Its length, and its parts one by one; NULL is a length of 0 alone.
static bool read_rowid(struct server *server, struct bind_value *value) {
    struct wire_in *in = &server->in;
    uint8_t *bytes = arena_take(&server->arena, ROWID_BYTES);
    if (in_u8(in) == 0)
        return true;
    struct rowid rowid = {.object = in_ub4(in)};
    const uint64_t file = in_ub(in);
    in_u8(in);
    rowid.block = in_ub4(in);
    const uint64_t slot = in_ub(in);
    if (!bytes || file > UINT16_MAX || slot > UINT16_MAX)
        return false;
    rowid.file = (uint16_t)file;
    rowid.slot = (uint16_t)slot;
    rowid_write(&rowid, bytes);
    *value = (struct bind_value){
        .kind = BIND_ROWID, .data = bytes, .length = ROWID_BYTES};
    return true;
}

// Its NULL is an escape and a code.
static struct bytes read_boolean(struct server *server) {
    enum { ESCAPE = 253 };
    const uint8_t length = in_u8(&server->in);
    if (length == ESCAPE)
        in_u8(&server->in);
    return length == ESCAPE ? (struct bytes){NULL, 0}
                            : in_raw(&server->in, length);
}

static bool read_value(struct server *server, const struct bind_type *bind,
                       struct bind_value *value) {
    if (bind->type == TYPE_CURSOR)
        return read_cursor(server);
    if (bind->type == TYPE_ROWID)
        return read_rowid(server, value);
    if (bind->type == TYPE_CLOB || bind->type == TYPE_BLOB)
        return read_locator(server, bind, value);
    if (!is_byte_string(bind->type)) {
        char about[48];
        snprintf(about, sizeof about, "a bind of type %u", bind->type);
        server_unsupported(server, about);
        return false;
    }
    struct bytes bytes =
        bind->type == TYPE_BOOLEAN ? read_boolean(server) : in_clr(&server->in);
    return take(server, bind, bytes, value);
}

// A PL/SQL array is read by no statement that is executed, only set: see
// arrays_fit() in iterations.c. So its elements are read over.
static bool read_array(struct server *server, const struct bind_type *bind) {
    struct bind_value element;
    bool is_known = true;
    for (uint32_t n = in_ub4(&server->in);
         n > 0 && is_known && !server->in.bad && !server->lost; n--)
        is_known = read_value(server, bind, &element);
    return is_known;
}

bool bind_row_read(struct server *server, const struct bind_type *bind,
                   unsigned count, bool again, struct bind_value *value) {
    struct wire_in *in = &server->in;
    bool is_known = true;
    for (unsigned i = 0; i < count; i++)
        value[i] = (struct bind_value){.kind = BIND_NULL};
    if (binds_in_row(bind, count, again) == 0)
        return true;
    if (in_u8(in) != MESSAGE_ROW_DATA)
        server_violated(server, "start of a bind row");
    for (int last = 0; last < 2; last++)
        for (unsigned i = 0; i < count && !in->bad && !server->lost; i++)
            if (bind[i].last == (last == 1) && !(again && bind[i].out))
                is_known =
                    (bind[i].array ? read_array(server, &bind[i])
                                   : read_value(server, &bind[i], &value[i])) &&
                    is_known;
    if (in->bad)
        server_violated(server, "bind values");
    if (!is_known && !server->lost && server->error.number == 0)
        server_raise(server, 3115, "");
    return is_known && !in->bad && !server->lost;
}
