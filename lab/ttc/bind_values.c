// SPDX-License-Identifier: GPL-2.0-or-later
// A bind's value from its bytes, by the type that the client declared.
#include <sqlite3.h>
#include <string.h>

#include "sql/types/binary_number.h"
#include "sql/types/oracle_date.h"
#include "sql/types/oracle_number.h"
#include "sql/types/session_zone.h"
#include "sql/types/utf16.h"
#include "sql/types/value.h"
#include "ttc/bind_types.h"
#include "ttc/bind_values.h"

enum {
    FORM_NATIONAL = 2,

    // Of a TIMESTAMP WITH TIME ZONE.
    ZERO_HOURS = 20,
    ZERO_MINUTES = 60,
    TIME_IN_ZONE = 0x40,
    ZONE_IS_NUMBER = 0x80,
    NO_SUCH_ZONE = 1882,
};

static bool take_number(const struct value_reader *reader, struct bytes bytes,
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
        wide = arena_take(reader->arena, WIDE_BYTES);
        if (!wide)
            return false;
        value_wide_from_decimal(&number, wide);
        value->kind = BIND_WIDE;
        value->data = wide;
        value->length = WIDE_BYTES;
        return true;
    }
}

static bool take_binary(const struct value_reader *reader, struct bytes bytes,
                        enum value_class class, struct bind_value *value) {
    const size_t wire =
        class == CLASS_BINARY_FLOAT ? BINARY_FLOAT_WIRE : BINARY_DOUBLE_WIRE;
    const size_t stored = value_binary_bytes(class);
    uint8_t *to = arena_take(reader->arena, stored);
    if (!to || bytes.length != wire)
        return false;
    binary_number_write(binary_number_read(bytes.at, class), class, to);
    value->kind = BIND_BINARY;
    value->data = to;
    value->length = stored;
    return true;
}

// A timestamp whose fraction is zero comes as a date.
static bool take_timestamp(const struct value_reader *reader, size_t size,
                           struct bytes bytes, struct bind_value *value) {
    uint8_t *full = arena_take(reader->arena, TIMESTAMP_TZ_BYTES);
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
static bool take_zoned(const struct value_reader *reader, struct bytes bytes,
                       struct bind_value *value) {
    if (bytes.length != TIMESTAMP_TZ_BYTES)
        return false;
    uint8_t *to = arena_take(reader->arena, TIMESTAMP_TZ_BYTES);
    if (!to)
        return false;
    memcpy(to, bytes.at, TIMESTAMP_TZ_BYTES);
    const uint8_t hour = to[11], minute = to[12];
    struct oracle_date time;
    if (hour & ZONE_IS_NUMBER) {
        const unsigned zone = (hour & 0x7fU) << 6 | minute >> 2;
        if (!is_utc(zone)) {
            ora_error_set(reader->error, NO_SUCH_ZONE, "");
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
static bool take_local(const struct value_reader *reader, struct bytes bytes,
                       struct bind_value *value) {
    struct oracle_date time;
    if (!take_timestamp(reader, TIMESTAMP_BYTES, bytes, value) ||
        !oracle_date_read(value->data, TIMESTAMP_BYTES, &time))
        return false;
    session_zone_show(&time);
    oracle_date_write(&time, (uint8_t *)value->data, TIMESTAMP_BYTES);
    return true;
}

// The national character set is AL16UTF16, the database's AL32UTF8.
static bool take_utf16(const struct value_reader *reader, struct bytes bytes,
                       struct bind_value *value) {
    enum { LONGEST_CHARACTER = 3 }; // of one unit; two units have 4 bytes
    char *text =
        arena_take(reader->arena, bytes.length / 2 * LONGEST_CHARACTER + 1);
    if (!text || bytes.length % 2 != 0)
        return false;
    value->data = text;
    value->length = utf16_to_utf8(bytes.at, bytes.length, text);
    return true;
}

static bool take_interval(const struct value_reader *reader, struct bytes bytes,
                          size_t wire, size_t stored,
                          struct bind_value *value) {
    uint8_t *to = arena_take(reader->arena, stored);
    if (!to || bytes.length != wire)
        return false;
    memset(to, 0, stored);
    memcpy(to, bytes.at, wire);
    value->kind = BIND_INTERVAL;
    value->data = to;
    value->length = stored;
    return true;
}

// The bytes are a locator.
static bool take_lob(const struct value_reader *reader,
                     const struct bind_type *bind, struct bytes bytes,
                     struct bind_value *value) {
    enum { NO_SUCH_LOB = 22922 };
    const struct lob *lob =
        reader->lobs ? lobs_find(reader->lobs, bytes) : NULL;
    if (!lob || lob->character != (bind->type == TYPE_CLOB)) {
        ora_error_set(reader->error, NO_SUCH_LOB, "");
        return false;
    }
    if (lob->length == 0) {
        value->kind = BIND_NULL;
        return true;
    }
    value->data = lob->data;
    value->length = lob->length;
    value->kind = lob->character ? BIND_CLOB : BIND_BLOB;
    const struct bytes data = {lob->data, lob->length};
    return !lob->character || take_utf16(reader, data, value);
}

bool bind_value_take(const struct value_reader *reader,
                     const struct bind_type *bind, struct bytes bytes,
                     struct bind_value *value) {
    *value = (struct bind_value){
        .kind = BIND_NULL, .data = bytes.at, .length = bytes.length};
    if (bytes.length == 0)
        return true;
    switch (bind->type) {
    case TYPE_VARCHAR2:
    case TYPE_LONG:
    case TYPE_CHAR:
        value->kind = BIND_TEXT;
        return bind->form != FORM_NATIONAL || take_utf16(reader, bytes, value);
    case TYPE_NUMBER:
    case TYPE_INTEGER:
        return take_number(reader, bytes, value);
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
        return take_binary(reader, bytes, CLASS_BINARY_FLOAT, value);
    case TYPE_BINARY_DOUBLE:
        return take_binary(reader, bytes, CLASS_BINARY_DOUBLE, value);
    case TYPE_TIMESTAMP:
    case TYPE_PROGRAM_TIMESTAMP:
        return take_timestamp(reader, TIMESTAMP_BYTES, bytes, value);
    case TYPE_TIMESTAMP_LTZ:
    case TYPE_PROGRAM_TIMESTAMP_LTZ:
        return take_local(reader, bytes, value);
    case TYPE_TIMESTAMP_TZ:
    case TYPE_PROGRAM_TIMESTAMP_TZ:
        return take_zoned(reader, bytes, value);
    case TYPE_INTERVAL_YM:
    case TYPE_PROGRAM_INTERVAL_YM:
        return take_interval(reader, bytes, INTERVAL_YM_WIRE, INTERVAL_YM_BYTES,
                             value);
    case TYPE_INTERVAL_DS:
    case TYPE_PROGRAM_INTERVAL_DS:
        return take_interval(reader, bytes, INTERVAL_DS_WIRE, INTERVAL_DS_BYTES,
                             value);
    case TYPE_CLOB:
    case TYPE_BLOB:
        return take_lob(reader, bind, bytes, value);
    default:
        return false;
    }
}
