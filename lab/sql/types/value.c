// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/types/value.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "sql/types/binary_number.h"
#include "sql/types/calendar.h"
#include "sql/types/date_format.h"
#include "sql/types/number_format.h"
#include "sql/types/ora_error.h"
#include "sql/types/rowid.h"
#include "sql/types/session_zone.h"

static const uint8_t wide_mark[2] = {0xff, 'N'};

bool value_length_is_reserved(size_t bytes) {
    return bytes == DATE_BYTES || bytes == TIMESTAMP_BYTES ||
           bytes == TIMESTAMP_TZ_BYTES || bytes == WIDE_BYTES ||
           bytes == INTERVAL_DS_BYTES || bytes == INTERVAL_YM_BYTES ||
           bytes == BINARY_FLOAT_BYTES || bytes == BINARY_DOUBLE_BYTES ||
           bytes == ROWID_BYTES;
}

size_t value_longest_text = MOST_SQL_TEXT;

enum value_class value_class(sqlite3_value *value) {
    switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
    case SQLITE_FLOAT:
        return CLASS_NUMBER;
    case SQLITE_TEXT:
        return CLASS_TEXT;
    case SQLITE_BLOB:
        switch (sqlite3_value_bytes(value)) {
        case DATE_BYTES:
            return CLASS_DATE;
        case TIMESTAMP_BYTES:
            return CLASS_TIMESTAMP;
        case TIMESTAMP_TZ_BYTES:
            return CLASS_TIMESTAMP_TZ;
        case WIDE_BYTES:
            return CLASS_NUMBER;
        case INTERVAL_DS_BYTES:
            return CLASS_INTERVAL_DS;
        case INTERVAL_YM_BYTES:
            return CLASS_INTERVAL_YM;
        case BINARY_FLOAT_BYTES:
            return CLASS_BINARY_FLOAT;
        case BINARY_DOUBLE_BYTES:
            return CLASS_BINARY_DOUBLE;
        case ROWID_BYTES:
            return CLASS_ROWID;
        default:
            return CLASS_RAW;
        }
    default:
        return CLASS_NULL;
    }
}

bool value_class_is_time(enum value_class class) {
    return class == CLASS_DATE || class == CLASS_TIMESTAMP ||
           class == CLASS_TIMESTAMP_TZ;
}

bool value_class_is_binary(enum value_class class) {
    return class == CLASS_BINARY_FLOAT || class == CLASS_BINARY_DOUBLE;
}

size_t value_binary_bytes(enum value_class class) {
    return class == CLASS_BINARY_FLOAT ? BINARY_FLOAT_BYTES
                                       : BINARY_DOUBLE_BYTES;
}

void value_result_error(sqlite3_context *context, unsigned number,
                        const char *about) {
    struct ora_error error;
    ora_error_set(&error, number, about);
    sqlite3_result_error(context, error.text, -1);
}

void value_wide_from_decimal(const struct decimal *value,
                             uint8_t to[WIDE_BYTES]) {
    memset(to, 0, WIDE_BYTES);
    memcpy(to, wide_mark, sizeof wide_mark);
    number_from_decimal(value, to + sizeof wide_mark);
}

bool value_wide_to_decimal(const uint8_t from[WIDE_BYTES], struct decimal *to) {
    size_t length = WIDE_BYTES - sizeof wide_mark;
    const uint8_t *number = from + sizeof wide_mark;
    while (length > 0 && number[length - 1] == 0)
        length--;
    return memcmp(from, wide_mark, sizeof wide_mark) == 0 &&
           number_to_decimal(number, length, to);
}

int value_number_form(const struct decimal *value, int64_t *integer,
                      double *real) {
    enum { SURE_DIGITS = 15 };
    char text[NUMBER_TEXT];
    if (decimal_to_integer(value, integer))
        return SQLITE_INTEGER;
    if (value->count > SURE_DIGITS)
        return SQLITE_BLOB;
    decimal_to_text(value, text);
    *real = strtod(text, NULL);
    return SQLITE_FLOAT;
}

void value_result_decimal(sqlite3_context *context,
                          const struct decimal *value) {
    int64_t integer;
    double real;
    uint8_t wide[WIDE_BYTES];
    switch (value_number_form(value, &integer, &real)) {
    case SQLITE_INTEGER:
        sqlite3_result_int64(context, integer);
        break;
    case SQLITE_FLOAT:
        sqlite3_result_double(context, real);
        break;
    default:
        value_wide_from_decimal(value, wide);
        sqlite3_result_blob(context, wide, sizeof wide, SQLITE_TRANSIENT);
    }
}

bool value_decimal(sqlite3_context *context, sqlite3_value *value,
                   struct decimal *to) {
    bool overflow = false;
    switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
        *to = decimal_from_integer(sqlite3_value_int64(value));
        return true;
    case SQLITE_FLOAT:
        if (decimal_from_double(sqlite3_value_double(value), to))
            return true;
        value_result_error(context, 1426, "");
        return false;
    case SQLITE_TEXT:
        if (decimal_from_text((const char *)sqlite3_value_text(value),
                              (size_t)sqlite3_value_bytes(value), to,
                              &overflow))
            return true;
        value_result_error(context, overflow ? 1426 : 1722, "");
        return false;
    case SQLITE_BLOB:
        if (sqlite3_value_bytes(value) == WIDE_BYTES &&
            value_wide_to_decimal(sqlite3_value_blob(value), to))
            return true;
        if (value_class_is_binary(value_class(value))) {
            value_result_error(context, 3001,
                               "a BINARY_DOUBLE or BINARY_FLOAT here");
            return false;
        }
    }
    value_result_error(context, 932, "expected NUMBER");
    return false;
}

bool value_whole(sqlite3_context *context, sqlite3_value *value, int64_t *to) {
    struct decimal number;
    if (sqlite3_value_type(value) == SQLITE_INTEGER) {
        *to = sqlite3_value_int64(value);
        return true;
    }
    if (!value_decimal(context, value, &number))
        return false;
    decimal_truncate(&number, 0, &number);
    if (!decimal_to_integer(&number, to)) {
        value_result_error(context, 1426, "");
        return false;
    }
    return true;
}

bool value_time(sqlite3_context *context, sqlite3_value *value,
                struct oracle_date *to) {
    struct text text;
    if (value_class_is_time(value_class(value)) &&
        oracle_date_read(sqlite3_value_blob(value),
                         (size_t)sqlite3_value_bytes(value), to))
        return true;
    if (value_class(value) != CLASS_TEXT) {
        value_result_error(context, 932, "expected DATE");
        return false;
    }
    if (!value_text(context, value, &text))
        return false;
    unsigned error =
        date_parse(text.at, text.length, session_date_formats.date, false, to);
    to->zone = 0;
    if (error)
        value_result_error(context, error, "date format");
    return !error;
}

bool value_text(sqlite3_context *context, sqlite3_value *value,
                struct text *text) {
    struct decimal number;
    struct oracle_date time;
    struct rowid rowid;
    enum value_class class = value_class(value);
    unsigned error = 0;
    switch (class) {
    case CLASS_NULL:
        return false;
    case CLASS_TEXT:
        text->at = (const char *)sqlite3_value_text(value);
        text->length = (size_t)sqlite3_value_bytes(value);
        return true;
    case CLASS_NUMBER:
        if (!value_decimal(context, value, &number))
            return false;
        if (!number_shown(&number, text->room)) {
            value_result_error(context, 3001, "so small a number as text");
            return false;
        }
        break;
    case CLASS_INTERVAL_YM:
    case CLASS_INTERVAL_DS:
        value_result_error(context, 3001, "an INTERVAL as text");
        return false;
    case CLASS_BINARY_FLOAT:
    case CLASS_BINARY_DOUBLE:
        value_result_error(context, 3001,
                           "a BINARY_DOUBLE or BINARY_FLOAT as text");
        return false;
    case CLASS_ROWID:
        rowid_read(sqlite3_value_blob(value), &rowid);
        rowid_to_text(&rowid, text->room);
        break;
    case CLASS_RAW: // like RAWTOHEX
        if ((size_t)sqlite3_value_bytes(value) * 2 >= sizeof text->room) {
            value_result_error(context, 3001, "so long a RAW as text");
            return false;
        }
        for (int i = 0; i < sqlite3_value_bytes(value); i++)
            sqlite3_snprintf(3, text->room + 2 * i, "%02X",
                             ((const uint8_t *)sqlite3_value_blob(value))[i]);
        text->room[2 * sqlite3_value_bytes(value)] = '\0';
        break;
    default:
        if (!value_time(context, value, &time))
            return false;
        error = date_show(&time, (size_t)sqlite3_value_bytes(value),
                          class == CLASS_DATE ? session_date_formats.date
                          : class == CLASS_TIMESTAMP
                              ? session_date_formats.timestamp
                              : session_date_formats.timestamp_tz,
                          text->room, sizeof text->room);
    }
    if (error) {
        value_result_error(context, error, "date format");
        return false;
    }
    text->at = text->room;
    text->length = strlen(text->room);
    return true;
}

void value_result_text(sqlite3_context *context, const char *text,
                       size_t length) {
    if (length > 0)
        sqlite3_result_text64(context, text, length, SQLITE_TRANSIENT,
                              SQLITE_UTF8);
}

void value_result_time(sqlite3_context *context, const struct oracle_date *time,
                       size_t bytes) {
    uint8_t result[TIMESTAMP_TZ_BYTES];
    if (!oracle_date_valid(time)) {
        value_result_error(context, 1841, "");
        return;
    }
    oracle_date_write(time, result, bytes);
    sqlite3_result_blob(context, result, (int)bytes, SQLITE_TRANSIENT);
}

static int compare_bytes(const void *a, size_t a_length, const void *b,
                         size_t b_length) {
    int order = memcmp(a, b, a_length < b_length ? a_length : b_length);
    if (order == 0)
        order = (a_length > b_length) - (a_length < b_length);
    return (order > 0) - (order < 0);
}

// If one has a time zone, the other is in the session's.
static void to_utc(struct oracle_date *time, enum value_class class) {
    const int zone =
        class == CLASS_TIMESTAMP_TZ ? time->zone : session_zone_at(time);
    if (zone != 0)
        calendar_set_seconds(time, calendar_seconds(time) - zone * 60);
}

// A shorter form of a point in time only lacks a fraction of zero.
static int compare_times(const struct oracle_date *a,
                         const struct oracle_date *b) {
    uint8_t x[TIMESTAMP_BYTES], y[TIMESTAMP_BYTES];
    oracle_date_write(a, x, sizeof x);
    oracle_date_write(b, y, sizeof y);
    return compare_bytes(x, sizeof x, y, sizeof y);
}

static int hex_digit(char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

unsigned value_raw_of_text(const char *text, size_t length, uint8_t *to) {
    enum { INVALID_HEX = 1465 };
    const size_t odd = length % 2;
    memset(to, 0, (length + 1) / 2);
    for (size_t i = 0; i < length; i++) {
        const int four = hex_digit(text[i]);
        if (four < 0)
            return INVALID_HEX;
        to[(i + odd) / 2] = (uint8_t)(to[(i + odd) / 2] << 4 | four);
    }
    return 0;
}

// Text becomes a RAW, as by HEXTORAW.
static bool compare_with_hex(sqlite3_context *context, sqlite3_value *raw,
                             sqlite3_value *text, int *order) {
    enum { LONGEST = 4000 };
    uint8_t result[LONGEST / 2 + 1];
    const size_t length = (size_t)sqlite3_value_bytes(text);
    const unsigned error =
        length > LONGEST
            ? 1465
            : value_raw_of_text((const char *)sqlite3_value_text(text), length,
                                result);
    if (error) {
        value_result_error(context, error, "");
        return false;
    }
    *order =
        compare_bytes(sqlite3_value_blob(raw), (size_t)sqlite3_value_bytes(raw),
                      result, (length + 1) / 2);
    return true;
}

bool values_compare(sqlite3_context *context, sqlite3_value *a,
                    sqlite3_value *b, int *order) {
    enum value_class ca = value_class(a), cb = value_class(b);
    struct decimal x, y;
    struct oracle_date s, t;
    if (sqlite3_value_type(a) == SQLITE_INTEGER &&
        sqlite3_value_type(b) == SQLITE_INTEGER) {
        int64_t i = sqlite3_value_int64(a), j = sqlite3_value_int64(b);
        *order = (i > j) - (i < j);
        return true;
    }
    if (ca == cb && (ca == CLASS_TEXT || ca == CLASS_RAW ||
                     ca == CLASS_INTERVAL_YM || ca == CLASS_INTERVAL_DS)) {
        *order = compare_bytes(
            sqlite3_value_blob(a), (size_t)sqlite3_value_bytes(a),
            sqlite3_value_blob(b), (size_t)sqlite3_value_bytes(b));
        return true;
    }
    if (value_class_is_time(ca) || value_class_is_time(cb)) {
        if (!value_time(context, a, &s) || !value_time(context, b, &t))
            return false;
        if (ca == CLASS_TIMESTAMP_TZ || cb == CLASS_TIMESTAMP_TZ) {
            to_utc(&s, ca);
            to_utc(&t, cb);
        }
        *order = compare_times(&s, &t);
        return true;
    }
    if (ca == CLASS_ROWID || cb == CLASS_ROWID) {
        uint8_t v[ROWID_BYTES], w[ROWID_BYTES];
        struct rowid row, other;
        if (!value_rowid(context, a, &row) || !value_rowid(context, b, &other))
            return false;
        rowid_write(&row, v);
        rowid_write(&other, w);
        *order = compare_bytes(v, sizeof v, w, sizeof w);
        return true;
    }
    const enum value_class both = value_class_of_both(ca, cb);
    if (both != CLASS_NUMBER) {
        double v, w;
        if (!value_binary(context, a, both, &v) ||
            !value_binary(context, b, both, &w))
            return false;
        *order = binary_number_compare(v, w);
        return true;
    }
    if ((ca == CLASS_RAW && cb == CLASS_TEXT) ||
        (ca == CLASS_TEXT && cb == CLASS_RAW)) {
        const bool swap = ca == CLASS_TEXT;
        if (!compare_with_hex(context, swap ? b : a, swap ? a : b, order))
            return false;
        *order = swap ? -*order : *order;
        return true;
    }
    if (ca == CLASS_RAW || cb == CLASS_RAW) {
        value_result_error(context, 932, "expected BINARY");
        return false;
    }
    if (!value_decimal(context, a, &x) || !value_decimal(context, b, &y))
        return false;
    *order = decimal_compare(&x, &y);
    return true;
}
