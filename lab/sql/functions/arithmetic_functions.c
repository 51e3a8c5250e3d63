// SPDX-License-Identifier: GPL-2.0-or-later
// The operators + - * / and || on numbers, dates and texts.
#include <sqlite3.h>
#include <stdint.h>
#include <string.h>

#include "sql/functions/function.h"
#include "sql/functions/interval_arithmetic.h"
#include "sql/types/binary_number.h"
#include "sql/types/calendar.h"
#include "sql/types/value.h"

enum operation { ADD, SUBTRACT, MULTIPLY, DIVIDE };

enum { DAY = 86400 };

static bool of_integers(sqlite3_context *context, enum operation operation,
                        int64_t a, int64_t b) {
    int64_t result = 0;
    bool is_integer;
    switch (operation) {
    case ADD:
        is_integer = !__builtin_add_overflow(a, b, &result);
        break;
    case SUBTRACT:
        is_integer = !__builtin_sub_overflow(a, b, &result);
        break;
    case MULTIPLY:
        is_integer = !__builtin_mul_overflow(a, b, &result);
        break;
    default:
        is_integer = b != 0 && b != -1 && a % b == 0;
        result = is_integer ? a / b : 0;
    }
    if (is_integer)
        sqlite3_result_int64(context, result);
    return is_integer;
}

static bool of_decimals(enum operation operation, const struct decimal *a,
                        const struct decimal *b, struct decimal *to) {
    switch (operation) {
    case ADD:
        return decimal_add(a, b, to);
    case SUBTRACT:
        return decimal_subtract(a, b, to);
    case MULTIPLY:
        return decimal_multiply(a, b, to);
    default:
        return decimal_divide(a, b, to);
    }
}

static void date_and_days(sqlite3_context *context, struct oracle_date date,
                          const struct decimal *days) {
    const struct decimal a_day = decimal_from_integer(DAY);
    struct decimal seconds;
    int64_t integer;
    if (!decimal_multiply(days, &a_day, &seconds) ||
        !decimal_round(&seconds, 0, &seconds) ||
        !decimal_to_integer(&seconds, &integer) ||
        integer > 400LL * 366 * 400 * DAY ||
        integer < -400LL * 366 * 400 * DAY) {
        value_result_error(context, 1841, "");
        return;
    }
    calendar_set_seconds(&date, calendar_seconds(&date) + integer);
    date.nanosecond = 0;
    value_result_time(context, &date, DATE_BYTES);
}

static void days_between(sqlite3_context *context, sqlite3_value **value) {
    const struct decimal a_day = decimal_from_integer(DAY);
    struct oracle_date from, to;
    struct decimal days;
    const bool dates = value_class(value[0]) == CLASS_DATE &&
                       value_class(value[1]) == CLASS_DATE;
    const bool zoned = value_class(value[0]) == CLASS_TIMESTAMP_TZ;
    if (zoned != (value_class(value[1]) == CLASS_TIMESTAMP_TZ)) {
        value_result_error(context, 3001,
                           "an INTERVAL between a time with a zone and one "
                           "without");
    } else if (!value_time(context, value[0], &to) ||
               !value_time(context, value[1], &from)) {
        return;
    } else if (!dates) {
        interval_result_between(context, &from, &to);
    } else {
        days = decimal_from_integer(calendar_seconds(&to) -
                                    calendar_seconds(&from));
        decimal_divide(&days, &a_day, &days);
        value_result_decimal(context, &days);
    }
}

static void of_dates(sqlite3_context *context, enum operation operation,
                     sqlite3_value **value, bool first, bool second) {
    struct oracle_date date;
    struct decimal days;
    if (first && second && operation == SUBTRACT) {
        days_between(context, value);
    } else if (first && second && operation == ADD) {
        value_result_error(context, 975, "");
    } else if ((first && second) || operation > SUBTRACT ||
               (second && operation == SUBTRACT)) {
        value_result_error(context, 932, "");
    } else if (value_decimal(context, value[first], &days) &&
               value_time(context, value[second], &date)) {
        days.negative ^= operation == SUBTRACT && days.count > 0;
        date_and_days(context, date, &days);
    }
}

// By IEEE 754: a division by zero is an infinity, or a NaN.
static void of_binary_numbers(sqlite3_context *context,
                              enum operation operation, sqlite3_value **value,
                              enum value_class class) {
    double a, b;
    if (!value_binary(context, value[0], class, &a) ||
        !value_binary(context, value[1], class, &b))
        return;
    value_result_binary(context,
                        operation == ADD        ? a + b
                        : operation == SUBTRACT ? a - b
                        : operation == MULTIPLY ? a * b
                                                : a / b,
                        class);
}

static void calculate(sqlite3_context *context, int n, sqlite3_value **value) {
    const enum operation operation =
        (enum operation)(intptr_t)sqlite3_user_data(context);
    struct decimal a, b;
    if (functions_any_null(n, value))
        return;
    if (sqlite3_value_type(value[0]) == SQLITE_INTEGER &&
        sqlite3_value_type(value[1]) == SQLITE_INTEGER &&
        of_integers(context, operation, sqlite3_value_int64(value[0]),
                    sqlite3_value_int64(value[1])))
        return;
    if (interval_calculate(context, "+-*/"[operation], value))
        return;
    const bool first = value_class_is_time(value_class(value[0]));
    const bool second = value_class_is_time(value_class(value[1]));
    if (first || second) {
        of_dates(context, operation, value, first, second);
        return;
    }
    const enum value_class both =
        value_class_of_both(value_class(value[0]), value_class(value[1]));
    if (both != CLASS_NUMBER) {
        of_binary_numbers(context, operation, value, both);
        return;
    }
    if (!value_decimal(context, value[0], &a) ||
        !value_decimal(context, value[1], &b))
        return;
    if (operation == DIVIDE && b.count == 0)
        value_result_error(context, 1476, "");
    else if (!of_decimals(operation, &a, &b, &a))
        value_result_error(context, 1426, "");
    else
        value_result_decimal(context, &a);
}

// a || b, where NULL is the empty string and the empty string is NULL.
static void concatenate(sqlite3_context *context, int n,
                        sqlite3_value **value) {
    struct text part[2] = {{.length = 0}, {.length = 0}};
    for (int i = 0; i < n; i++)
        if (sqlite3_value_type(value[i]) != SQLITE_NULL &&
            !value_text(context, value[i], &part[i]))
            return;
    const size_t length = part[0].length + part[1].length;
    if (length > value_longest_text) {
        value_result_error(context, 1489, "");
        return;
    }
    static char both[MOST_TEXT];
    memcpy(both, part[0].length ? part[0].at : "", part[0].length);
    memcpy(both + part[0].length, part[1].length ? part[1].at : "",
           part[1].length);
    value_result_text(context, both, length);
}

const struct function arithmetic_functions[] = {
    {"ADD$", 2, 2, OPERAND_UNKNOWN, FUNCTION_INTERNAL, calculate, (void *)ADD},
    {"SUBTRACT$", 2, 2, OPERAND_UNKNOWN, FUNCTION_INTERNAL, calculate,
     (void *)SUBTRACT},
    {"MULTIPLY$", 2, 2, OPERAND_UNKNOWN, FUNCTION_INTERNAL, calculate,
     (void *)MULTIPLY},
    {"DIVIDE$", 2, 2, OPERAND_UNKNOWN, FUNCTION_INTERNAL, calculate,
     (void *)DIVIDE},
    {"CONCAT", 2, 2, OPERAND_TEXT, FUNCTION_PLAIN, concatenate},
    {NULL},
};
