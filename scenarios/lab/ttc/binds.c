// SPDX-License-Identifier: GPL-2.0-or-later
// Bind values as they come: by the type the client declared for each.
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sql/oracle_date.h"
#include "sql/oracle_number.h"
#include "sql/session_zone.h"
#include "sql/utf8.h"
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
    TYPE_BOOLEAN = 252, // of PL/SQL
    TYPE_CHAR = 96,
    TYPE_BINARY_FLOAT = 100,
    TYPE_BINARY_DOUBLE = 101,
    TYPE_TIMESTAMP = 180,
    TYPE_TIMESTAMP_TZ = 181,
    // As programs declare the three types of TIMESTAMP, go-ora among them.
    TYPE_PROGRAM_TIMESTAMP = 187,
    TYPE_PROGRAM_TIMESTAMP_TZ = 188,
    TYPE_TIMESTAMP_LTZ = 231,
    TYPE_PROGRAM_TIMESTAMP_LTZ = 232,

    FORM_NATIONAL = 2,

    // Of a TIMESTAMP WITH TIME ZONE.
    ZERO_HOURS = 20,
    ZERO_MINUTES = 60,
    TIME_IN_ZONE = 0x40,
    ZONE_IS_NUMBER = 0x80,
    NO_SUCH_ZONE = 1882,
};

static bool take_number(struct server *server, struct bytes bytes,
                        struct bind_value *value) {
    struct decimal number;
    uint8_t *wide;
    if (!number_to_decimal(bytes.at, bytes.length, &number))
        return false;
    switch (value_number_form(&number, &value->integer, &value->real)) {
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
        value_wide_from_decimal(&number, wide);
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
    value->kind = value_number_form(&number, &value->integer, &value->real) ==
                          SQLITE_INTEGER
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
    return true;
}

// Zones have numbers: those that mean UTC all the year round.
static bool is_utc(unsigned zone) {
    static const unsigned numbers[] = {
        1 /* Etc/GMT */, 28 /* Etc/UTC */,     29 /* Etc/UCT */,
        513 /* GMT */,   541 /* UCT */,        1564 /* Etc/Zulu */,
        2076 /* Zulu */, 4609 /* Greenwich */, 5121 /* UTC */,
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (zone == numbers[i])
            return true;
    return false;
}

// The last two bytes are the zone's offset from UTC, in which all others are
// unless a bit tells that they are in the zone. Or they are a zone's number.
static bool take_zoned(struct server *server, struct bytes bytes,
                       struct bind_value *value) {
    if (bytes.length != TIMESTAMP_TZ_BYTES)
        return false;
    uint8_t *to = arena_take(&server->arena, TIMESTAMP_TZ_BYTES);
    if (!to)
        return false;
    memcpy(to, bytes.at, TIMESTAMP_TZ_BYTES);
    const uint8_t hour = to[11], minute = to[12];
    struct oracle_date time;
    if (hour & ZONE_IS_NUMBER) {
        const unsigned zone = (hour & 0x7fU) << 6 | minute >> 2;
        if (!is_utc(zone)) {
            server_raise(server, NO_SUCH_ZONE, "");
            return false;
        }
        to[11] = ZERO_HOURS;
        to[12] = ZERO_MINUTES;
    } else if (hour & TIME_IN_ZONE) {
        if (!oracle_date_read(to, TIMESTAMP_BYTES, &time))
            return false;
        time.zone =
            ((hour & ~TIME_IN_ZONE) - ZERO_HOURS) * 60 + minute - ZERO_MINUTES;
        oracle_date_write(&time, to, TIMESTAMP_TZ_BYTES);
    }
    value->kind = BIND_TIME;
    value->data = to;
    value->length = TIMESTAMP_TZ_BYTES;
    return oracle_date_read(to, TIMESTAMP_TZ_BYTES, &time);
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

// The national character set is AL16UTF16, the database's AL32UTF8.
static bool take_national(struct server *server, struct bytes bytes,
                          struct bind_value *value) {
    enum { LONGEST_CHARACTER = 3 }; // of one unit; two units have 4 bytes
    char *text =
        arena_take(&server->arena, bytes.length / 2 * LONGEST_CHARACTER + 1);
    size_t n = 0;
    if (!text || bytes.length % 2 != 0)
        return false;
    for (size_t i = 0; i + 1 < bytes.length; i += 2) {
        uint32_t c = (uint32_t)bytes.at[i] << 8 | bytes.at[i + 1];
        if (c >= 0xd800 && c < 0xdc00 && i + 3 < bytes.length &&
            bytes.at[i + 2] >= 0xdc && bytes.at[i + 2] < 0xe0) {
            const uint32_t low =
                (uint32_t)bytes.at[i + 2] << 8 | bytes.at[i + 3];
            c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
            i += 2;
        } else if (c >= 0xd800 && c < 0xe000) {
            c = 0xfffd; // half a pair
        }
        n += utf8_write(c, text + n);
    }
    value->kind = BIND_TEXT;
    value->data = text;
    value->length = n;
    return true;
}

static bool take_value(struct server *server, const struct bind_type *bind,
                       struct bytes bytes, struct bind_value *value) {
    *value = (struct bind_value){
        .kind = BIND_NULL, .data = bytes.at, .length = bytes.length};
    if (bytes.length == 0)
        return true;
    switch (bind->type) {
    case TYPE_VARCHAR2:
    case TYPE_LONG:
    case TYPE_CHAR:
        if (bind->form == FORM_NATIONAL)
            return take_national(server, bytes, value);
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
    case TYPE_BOOLEAN:
        value->kind = BIND_INTEGER;
        value->integer = bytes.at[bytes.length - 1];
        return true;
    case TYPE_BINARY_FLOAT:
        return take_ieee(bytes, sizeof(float), value);
    case TYPE_BINARY_DOUBLE:
        return take_ieee(bytes, sizeof(double), value);
    case TYPE_TIMESTAMP:
    case TYPE_PROGRAM_TIMESTAMP:
        return take_timestamp(server, TIMESTAMP_BYTES, bytes, value);
    case TYPE_TIMESTAMP_LTZ:
    case TYPE_PROGRAM_TIMESTAMP_LTZ:
        return take_local(server, bytes, value);
    case TYPE_TIMESTAMP_TZ:
    case TYPE_PROGRAM_TIMESTAMP_TZ:
        return take_zoned(server, bytes, value);
    default:
        return false;
    }
}

// Values of these types follow all others of their row.
static bool comes_last(const struct bind_type *bind) {
    return bind->type == TYPE_LONG || bind->type == TYPE_LONG_RAW;
}

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
        return true;
    default:
        return false;
    }
}

static bool read_value(struct server *server, const struct bind_type *bind,
                       struct bind_value *value) {
    if (bind->array) {
        server_unsupported(server, "a bind that is a PL/SQL array");
        return false;
    }
    if (!is_byte_string(bind->type)) {
        char about[48];
        snprintf(about, sizeof about, "a bind of type %u", bind->type);
        server_unsupported(server, about);
        return false;
    }
    struct bytes bytes = in_clr(&server->in);
    return server->in.bad || take_value(server, bind, bytes, value);
}

bool bind_row_read(struct server *server, const struct bind_type *bind,
                   unsigned count, bool again, struct bind_value *value) {
    struct wire_in *in = &server->in;
    bool known = true;
    for (unsigned i = 0; i < count; i++)
        value[i] = (struct bind_value){.kind = BIND_NULL};
    if (binds_in_row(bind, count, again) == 0)
        return true;
    if (in_u8(in) != MESSAGE_ROW_DATA)
        server_violated(server, "start of a bind row");
    for (int last = 0; last < 2; last++)
        for (unsigned i = 0; i < count && !in->bad && !server->lost; i++)
            if (comes_last(&bind[i]) == last && !(again && bind[i].out))
                known = read_value(server, &bind[i], &value[i]) && known;
    if (in->bad)
        server_violated(server, "bind values");
    if (!known && !server->lost && server->error.number == 0)
        server_raise(server, 3115, "");
    return known && !in->bad && !server->lost;
}
