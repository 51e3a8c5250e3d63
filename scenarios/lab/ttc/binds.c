// SPDX-License-Identifier: GPL-2.0-or-later
// Bind values as they come: by the type the client declared for each.
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "sql/oracle_date.h"
#include "sql/oracle_number.h"
#include "sql/session_zone.h"
#include "sql/value.h"
#include "ttc/server.h"

enum {
    TYPE_VARCHAR2 = 1,
    TYPE_NUMBER = 2,
    TYPE_INTEGER = 3,
    TYPE_LONG = 8,
    TYPE_DATE = 12,
    TYPE_RAW = 23,
    TYPE_LONG_RAW = 24,
    TYPE_CHAR = 96,
    TYPE_BINARY_FLOAT = 100,
    TYPE_BINARY_DOUBLE = 101,
    TYPE_TIMESTAMP = 180,
    TYPE_TIMESTAMP_TZ = 181,
    TYPE_TIMESTAMP_LTZ = 231,
};

static bool take_number(struct server *server, struct bytes bytes,
                        struct bind_value *value) {
    struct decimal number;
    uint8_t *wide;
    if (!number_to_decimal(bytes.at, bytes.length, &number))
        return false;
    switch (number_form(&number, &value->integer, &value->real)) {
    case SQLITE_INTEGER:
        value->kind = BIND_INTEGER;
        return true;
    case SQLITE_FLOAT:
        value->kind = BIND_DOUBLE;
        return true;
    default:
        wide = arena_take(&server->arena, WIDE_BYTES);
        if (!wide)
            return false;
        wide_number(&number, wide);
        value->kind = BIND_WIDE;
        value->data = wide;
        value->length = WIDE_BYTES;
        return true;
    }
}

// IEEE bytes, changed so that they sort: the sign bit of positive numbers is
// set, all bits of negative ones are flipped.
static bool take_ieee(struct bytes bytes, size_t size,
                      struct bind_value *value) {
    if (bytes.length != size)
        return false;
    uint64_t bits = 0;
    bool positive = bytes.at[0] & 0x80;
    for (size_t i = 0; i < size; i++) {
        uint8_t byte = positive ? bytes.at[i] : (uint8_t)~bytes.at[i];
        bits = bits << 8 | byte;
    }
    if (positive)
        bits &= ~(1ULL << (8 * size - 1));
    if (size == sizeof(float)) {
        uint32_t half = (uint32_t)bits;
        float single;
        memcpy(&single, &half, sizeof single);
        value->real = single;
    } else {
        memcpy(&value->real, &bits, sizeof bits);
    }
    // Its first 15 digits: more a NUMBER would not get of it.
    struct decimal number;
    if (!decimal_from_double(value->real, &number))
        return false;
    value->kind =
        number_form(&number, &value->integer, &value->real) == SQLITE_INTEGER
            ? BIND_INTEGER
            : BIND_DOUBLE;
    return true;
}

// A timestamp whose fraction is zero comes as a date.
static bool take_timestamp(struct server *server, size_t size,
                           struct bytes bytes, struct bind_value *value) {
    uint8_t *full = arena_take(&server->arena, TIMESTAMP_TZ_BYTES);
    if (!full || bytes.length < DATE_BYTES || bytes.length > TIMESTAMP_TZ_BYTES)
        return false;
    memset(full, 0, TIMESTAMP_TZ_BYTES);
    memcpy(full, bytes.at, bytes.length < size ? bytes.length : size);
    value->kind = BIND_TIME;
    value->data = full;
    value->length = size;
    struct oracle_date time;
    return size != TIMESTAMP_TZ_BYTES ||
           (bytes.length == size && oracle_date_read(full, size, &time));
}

// WITH LOCAL TIME ZONE: in the database's, that is in UTC, as it comes.
static bool take_local(struct server *server, struct bytes bytes,
                       struct bind_value *value) {
    struct oracle_date time;
    if (!take_timestamp(server, TIMESTAMP_BYTES, bytes, value) ||
        !oracle_date_read(value->data, TIMESTAMP_BYTES, &time))
        return false;
    session_zone_show(&time);
    oracle_date_write(&time, (uint8_t *)value->data, TIMESTAMP_BYTES);
    return true;
}

static bool take_value(struct server *server, uint8_t type, struct bytes bytes,
                       struct bind_value *value) {
    *value = (struct bind_value){
        .kind = BIND_NULL, .data = bytes.at, .length = bytes.length};
    if (bytes.length == 0)
        return true;
    switch (type) {
    case TYPE_VARCHAR2:
    case TYPE_LONG:
    case TYPE_CHAR:
        value->kind = BIND_TEXT;
        return true;
    case TYPE_NUMBER:
    case TYPE_INTEGER:
        return take_number(server, bytes, value);
    case TYPE_DATE:
        value->kind = BIND_TIME;
        return bytes.length == 7;
    case TYPE_RAW:
    case TYPE_LONG_RAW:
        value->kind = BIND_RAW;
        return true;
    case TYPE_BINARY_FLOAT:
        return take_ieee(bytes, sizeof(float), value);
    case TYPE_BINARY_DOUBLE:
        return take_ieee(bytes, sizeof(double), value);
    case TYPE_TIMESTAMP:
        return take_timestamp(server, TIMESTAMP_BYTES, bytes, value);
    case TYPE_TIMESTAMP_LTZ:
        return take_local(server, bytes, value);
    case TYPE_TIMESTAMP_TZ:
        return take_timestamp(server, TIMESTAMP_TZ_BYTES, bytes, value);
    default:
        return false;
    }
}

bool read_binds(struct server *server, const uint8_t *type, unsigned count,
                struct bind_value *value) {
    struct wire_in *in = &server->in;
    bool known = true;
    for (unsigned i = 0; i < count && !in->bad; i++)
        known = take_value(server, type[i], in_clr(in), &value[i]) && known;
    if (in->bad)
        server_violated(server, "bind values");
    else if (!known)
        server_raise(server, 3115, "");
    return !in->bad && known;
}
