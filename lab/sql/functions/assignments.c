// SPDX-License-Identifier: GPL-2.0-or-later
// ASSIGN$(value, type, column): the value that a column of the declared type
// stores, after Oracle's conversions and checks. CAST uses the same code
// without a column.
#include <sqlite3.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sql/functions/function.h"
#include "sql/types/binary_number.h"
#include "sql/types/column_type.h"
#include "sql/types/utf8.h"
#include "sql/types/value.h"

static void assign_number(sqlite3_context *context, sqlite3_value *value,
                          const struct column_type *type) {
    struct decimal number;
    if (!value_number(context, value, &number))
        return;
    if (type->precision == 0) {
        value_result_decimal(context, &number);
        return;
    }
    // The precision minus the scale limits the digits left of the point.
    if (!decimal_round(&number, type->scale, &number) ||
        (number.count > 0 && number.point > type->precision - type->scale)) {
        value_result_error(context, 1438, "");
        return;
    }
    value_result_decimal(context, &number);
}

// Blanks up to the size of a CHAR, in characters or bytes.
static void result_padded(sqlite3_context *context, const struct text *text,
                          const struct column_type *type) {
    const char *end = text->at + text->length;
    const size_t length =
        type->characters ? utf8_length(text->at, end) : text->length;
    const size_t blanks = length < type->size ? type->size - length : 0;
    char *padded = sqlite3_malloc64(text->length + blanks + 1);
    if (!padded) {
        sqlite3_result_error_nomem(context);
        return;
    }
    memcpy(padded, text->at, text->length);
    memset(padded + text->length, ' ', blanks);
    sqlite3_result_text64(context, padded, text->length + blanks, sqlite3_free,
                          SQLITE_UTF8);
}

static void assign_text(sqlite3_context *context, sqlite3_value *value,
                        const struct column_type *type, const char *column) {
    struct text text;
    if (!value_text(context, value, &text))
        return;
    const char *end = text.at + text.length;
    size_t length = type->characters ? utf8_length(text.at, end) : text.length;
    if (length > type->size && *column) {
        char *about = sqlite3_mprintf("%s (actual: %u, maximum: %u)", column,
                                      (unsigned)length, type->size);
        value_result_error(context, 12899, about ? about : "");
        sqlite3_free(about);
        return;
    }
    if (length > type->size && value_class(value) != CLASS_TEXT) {
        value_result_error(context, 25137, "");
        return;
    }
    if (length > type->size) { // CAST truncates, an assignment fails
        const char *cut = text.at;
        while (type->characters
                   ? utf8_length(text.at, cut) < type->size
                   : (size_t)(cut - text.at) + utf8_bytes(cut, end) <=
                         type->size)
            cut += utf8_bytes(cut, end);
        text.length = (size_t)(cut - text.at);
    }
    if (type->fixed)
        result_padded(context, &text, type);
    else
        value_result_text(context, text.at, text.length);
}

static void assign_time(sqlite3_context *context, sqlite3_value *value,
                        size_t bytes) {
    struct oracle_date time;
    if (!value_time(context, value, &time))
        return;
    if (bytes == DATE_BYTES)
        time.nanosecond = 0;
    value_result_time(context, &time, bytes);
}

static void assign_raw(sqlite3_context *context, sqlite3_value *value,
                       const struct column_type *type, const char *column) {
    if (value_class(value) != CLASS_RAW)
        value_result_error(context, 932, "expected BINARY");
    else if ((unsigned)sqlite3_value_bytes(value) > type->size)
        value_result_error(context, 12899, column);
    else
        sqlite3_result_value(context, value);
}

static void assign_interval(sqlite3_context *context, sqlite3_value *value,
                            const struct column_type *type) {
    if (value_class(value) == type->class)
        sqlite3_result_value(context, value);
    else
        value_result_error(context, 932, "expected INTERVAL");
}

// A CLOB takes text and values that become text, a BLOB bytes, both of any
// length.
static void assign_lob(sqlite3_context *context, sqlite3_value *value,
                       const struct column_type *type) {
    struct text text;
    if (type->class == CLASS_BLOB && value_class(value) != CLASS_RAW)
        value_result_error(context, 932, "expected BLOB");
    else if (type->class == CLASS_BLOB)
        sqlite3_result_value(context, value);
    else if (value_text(context, value, &text))
        value_result_text(context, text.at, text.length);
}

static void assign_binary(sqlite3_context *context, sqlite3_value *value,
                          const struct column_type *type) {
    double number;
    if (value_binary(context, value, type->class, &number))
        value_result_binary(context, number, type->class);
}

// Text as a CHAR of the declared type would have it that equals it: with blanks
// at its end, or without some. One that is longer equals none.
static void pad(sqlite3_context *context, int n, sqlite3_value **value) {
    struct text text;
    if (functions_any_null(n, value) || !value_text(context, value[0], &text))
        return;
    const struct column_type type =
        column_type_of((const char *)sqlite3_value_text(value[1]));
    const char *end = text.at + text.length;
    size_t extra = type.characters ? utf8_length(text.at, end) : text.length;
    extra = extra > type.size ? extra - type.size : 0;
    for (; extra > 0 && text.at[text.length - 1] == ' '; extra--)
        text.length--;
    result_padded(context, &text, &type);
}

static void assign(sqlite3_context *context, int n, sqlite3_value **value) {
    struct column_type *type = sqlite3_get_auxdata(context, 1);
    const char *column =
        n > 2 ? (const char *)sqlite3_value_text(value[2]) : NULL;
    struct column_type read;
    if (functions_any_null(1, value))
        return;
    if (!type) {
        read = column_type_of((const char *)sqlite3_value_text(value[1]));
        type = sqlite3_malloc(sizeof *type);
        if (type) {
            *type = read;
            sqlite3_set_auxdata(context, 1, type, sqlite3_free);
        }
        type = &read;
    }
    column = column ? column : "";
    switch (type->class) {
    case CLASS_NUMBER:
        assign_number(context, value[0], type);
        break;
    case CLASS_TEXT:
        assign_text(context, value[0], type, column);
        break;
    case CLASS_DATE:
        assign_time(context, value[0], DATE_BYTES);
        break;
    case CLASS_TIMESTAMP:
        assign_time(context, value[0], TIMESTAMP_BYTES);
        break;
    case CLASS_RAW:
        assign_raw(context, value[0], type, column);
        break;
    case CLASS_INTERVAL_YM:
    case CLASS_INTERVAL_DS:
        assign_interval(context, value[0], type);
        break;
    case CLASS_BINARY_FLOAT:
    case CLASS_BINARY_DOUBLE:
        assign_binary(context, value[0], type);
        break;
    case CLASS_CLOB:
    case CLASS_BLOB:
        assign_lob(context, value[0], type);
        break;
    default: // a column of CREATE TABLE AS whose type is not known
        sqlite3_result_value(context, value[0]);
    }
}

const struct function assignment_functions[] = {
    {"ASSIGN$", 3, 3, OPERAND_UNKNOWN, FUNCTION_INTERNAL, assign},
    {"CAST$", 2, 2, OPERAND_UNKNOWN, FUNCTION_INTERNAL, assign},
    {"PAD$", 2, 2, OPERAND_TEXT, FUNCTION_INTERNAL, pad},
    {NULL},
};
