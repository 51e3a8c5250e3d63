// SPDX-License-Identifier: GPL-2.0-or-later
// TO_CHAR, TO_NUMBER, TO_DATE and Oracle's implicit conversions.
#include <sqlite3.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "sql/functions/function.h"
#include "sql/types/binary_number.h"
#include "sql/types/date_format.h"
#include "sql/types/number_format.h"
#include "sql/types/value.h"

enum { LONGEST_SHOWN = 400, NOT_NUMERIC = 1858 };

// Reads the format argument. False if the result is already set: NULL or an
// error.
static bool format_of(sqlite3_context *context, sqlite3_value *value,
                      size_t most, char *to) {
    struct text text;
    if (!value_text(context, value, &text))
        return false;
    if (text.length >= most || memchr(text.at, '\0', text.length)) {
        value_result_error(context, 1801, "");
        return false;
    }
    memcpy(to, text.at, text.length);
    to[text.length] = '\0';
    return true;
}

static void time_to_char(sqlite3_context *context, sqlite3_value **value) {
    char format[LONGEST_SHOWN / 4], shown[LONGEST_SHOWN];
    struct oracle_date time;
    if (!format_of(context, value[1], sizeof format, format) ||
        !value_time(context, value[0], &time))
        return;
    unsigned error = date_show(&time, (size_t)sqlite3_value_bytes(value[0]),
                               format, shown, sizeof shown);
    if (error)
        value_result_error(context, error, "date format");
    else
        value_result_text(context, shown, strlen(shown));
}

static void number_to_char(sqlite3_context *context, sqlite3_value **value) {
    char format[NUMBER_FORMAT], shown[NUMBER_TEXT];
    struct decimal number;
    if (!format_of(context, value[1], sizeof format, format) ||
        !value_decimal(context, value[0], &number))
        return;
    unsigned error = number_show(&number, format, shown);
    if (error)
        value_result_error(context, error, "number format");
    else
        value_result_text(context, shown, strlen(shown));
}

static void to_char(sqlite3_context *context, int n, sqlite3_value **value) {
    struct text text;
    if (functions_any_null(n, value))
        return;
    if (n == 2 && value_class_is_time(value_class(value[0])))
        time_to_char(context, value);
    else if (n == 2) // text is converted to a number first
        number_to_char(context, value);
    else if (value_text(context, value[0], &text))
        value_result_text(context, text.at, text.length);
}

static void to_number(sqlite3_context *context, int n, sqlite3_value **value) {
    char format[NUMBER_FORMAT];
    struct decimal number;
    struct text text;
    if (functions_any_null(n, value))
        return;
    if (n == 1) {
        if (value_number(context, value[0], &number))
            value_result_decimal(context, &number);
        return;
    }
    if (!format_of(context, value[1], sizeof format, format) ||
        !value_text(context, value[0], &text))
        return;
    unsigned error = number_parse(text.at, text.length, format, &number);
    if (error)
        value_result_error(context, error, "number format");
    else
        value_result_decimal(context, &number);
}

// TO_DATE or TO_TIMESTAMP; the user data is the size of the type in bytes.
static void to_time(sqlite3_context *context, int n, sqlite3_value **value) {
    const size_t bytes = (size_t)(intptr_t)sqlite3_user_data(context);
    char format[LONGEST_SHOWN / 4];
    struct oracle_date time;
    struct text text;
    if (functions_any_null(n, value))
        return;
    if (n == 1 && value_class_is_time(value_class(value[0]))) {
        if (value_time(context, value[0], &time)) {
            time.nanosecond = bytes == DATE_BYTES ? 0 : time.nanosecond;
            value_result_time(context, &time, bytes);
        }
        return;
    }
    if (n == 2 && !format_of(context, value[1], sizeof format, format))
        return;
    if (n == 1)
        strcpy(format, bytes == DATE_BYTES ? session_date_formats.date
                                           : session_date_formats.timestamp);
    if (!value_text(context, value[0], &text))
        return;
    unsigned error =
        date_parse(text.at, text.length, format, bytes != DATE_BYTES, &time);
    if (error)
        value_result_error(context, error, "date format");
    else
        value_result_time(context, &time, bytes);
}

// DATE 'YYYY-MM-DD' and TIMESTAMP 'YYYY-MM-DD HH24:MI:SS.FF'.
static void literal(sqlite3_context *context, int n, sqlite3_value **value) {
    const size_t bytes = (size_t)(intptr_t)sqlite3_user_data(context);
    struct oracle_date time;
    struct text text;
    (void)n;
    if (!value_text(context, value[0], &text))
        return;
    unsigned error = date_parse(
        text.at, text.length,
        bytes == DATE_BYTES ? "YYYY-MM-DD" : "YYYY-MM-DD HH24:MI:SS.FF", true,
        &time);
    // TO_DATE takes the name of a month where a format has MM.
    for (size_t i = 0; i < text.length && !error; i++)
        if (isalpha((unsigned char)text.at[i]))
            error = NOT_NUMERIC;
    if (error)
        value_result_error(context, error, "");
    else
        value_result_time(context, &time, bytes);
}

// NUMBER$, TEXT$: Oracle's implicit conversions.
static void number_of(sqlite3_context *context, int n, sqlite3_value **value) {
    struct decimal number;
    if (!functions_any_null(n, value) &&
        value_decimal(context, value[0], &number))
        value_result_decimal(context, &number);
}

static void text_of(sqlite3_context *context, int n, sqlite3_value **value) {
    struct text text;
    if (!functions_any_null(n, value) && value_text(context, value[0], &text))
        value_result_text(context, text.at, text.length);
}

static void date_of(sqlite3_context *context, int n, sqlite3_value **value) {
    struct oracle_date time;
    if (functions_any_null(n, value) || !value_time(context, value[0], &time))
        return;
    time.nanosecond = 0;
    value_result_time(context, &time, DATE_BYTES);
}

static void either(sqlite3_context *context, int n, sqlite3_value **value) {
    (void)n;
    const bool null = sqlite3_value_type(value[0]) == SQLITE_NULL;
    sqlite3_result_value(context, value[null]);
}

const struct function conversion_functions[] = {
    {"TO_CHAR", 1, 2, OPERAND_TEXT, FUNCTION_PLAIN, to_char},
    {"TO_NUMBER", 1, 2, OPERAND_NUMBER, FUNCTION_PLAIN, to_number,
     .of_binary_numbers = true},
    {"TO_DATE", 1, 2, OPERAND_DATE, FUNCTION_PLAIN, to_time,
     (void *)DATE_BYTES},
    {"TO_TIMESTAMP", 1, 2, OPERAND_TIMESTAMP, FUNCTION_PLAIN, to_time,
     (void *)TIMESTAMP_BYTES},
    {"DATE_LITERAL$", 1, 1, OPERAND_UNKNOWN, FUNCTION_INTERNAL, literal,
     (void *)DATE_BYTES},
    {"TIMESTAMP_LITERAL$", 1, 1, OPERAND_UNKNOWN, FUNCTION_INTERNAL, literal,
     (void *)TIMESTAMP_BYTES},
    {"NVL$", 2, 2, OPERAND_UNKNOWN, FUNCTION_INTERNAL, either},
    {"NUMBER$", 1, 1, OPERAND_UNKNOWN, FUNCTION_INTERNAL, number_of},
    {"TEXT$", 1, 1, OPERAND_UNKNOWN, FUNCTION_INTERNAL, text_of},
    {"DATE$", 1, 1, OPERAND_UNKNOWN, FUNCTION_INTERNAL, date_of},
    {NULL},
};
