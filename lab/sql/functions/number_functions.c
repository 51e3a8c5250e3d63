// SPDX-License-Identifier: GPL-2.0-or-later
// Functions of numbers. TRUNC and ROUND also take dates.
#include <sqlite3.h>
#include <stdint.h>
#include <string.h>

#include "sql/types/date_round.h"
#include "sql/functions/function.h"
#include "sql/types/value.h"

static const struct decimal one = {.point = 1, .count = 1, .digit = {1}};

static void absolute(sqlite3_context *context, int n, sqlite3_value **value) {
    struct decimal a;
    if (functions_any_null(n, value) || !value_decimal(context, value[0], &a))
        return;
    a.negative = false;
    value_result_decimal(context, &a);
}

static void sign(sqlite3_context *context, int n, sqlite3_value **value) {
    struct decimal a;
    if (!functions_any_null(n, value) && value_decimal(context, value[0], &a))
        sqlite3_result_int(context, a.count == 0 ? 0 : a.negative ? -1 : 1);
}

// CEIL if the function has user data, else FLOOR.
static void to_whole(sqlite3_context *context, int n, sqlite3_value **value) {
    const bool up = sqlite3_user_data(context) != NULL;
    struct decimal a, whole;
    if (functions_any_null(n, value) || !value_decimal(context, value[0], &a))
        return;
    decimal_truncate(&a, 0, &whole);
    bool succeeded = true;
    if (decimal_compare(&a, &whole) != 0 && a.negative != up)
        succeeded = up ? decimal_add(&whole, &one, &whole)
                       : decimal_subtract(&whole, &one, &whole);
    if (succeeded)
        value_result_decimal(context, &whole);
    else
        value_result_error(context, 1426, "");
}

static bool two(sqlite3_context *context, int n, sqlite3_value **value,
                struct decimal *a, struct decimal *b) {
    return !functions_any_null(n, value) &&
           value_decimal(context, value[0], a) &&
           value_decimal(context, value[1], b);
}

static void modulo(sqlite3_context *context, int n, sqlite3_value **value) {
    struct decimal a, b;
    if (!two(context, n, value, &a, &b))
        return;
    if (b.count > 0 && !decimal_modulo(&a, &b, &a)) {
        value_result_error(context, 1426, "");
        return;
    }
    value_result_decimal(context, &a);
}

// a - b * n, where n is the integer nearest to a / b; ties go to the even one.
static void remainder_of(sqlite3_context *context, int n,
                         sqlite3_value **value) {
    struct decimal a, b, left, twice, size;
    if (!two(context, n, value, &a, &b))
        return;
    if (b.count == 0) {
        value_result_error(context, 1428, "");
        return;
    }
    decimal_modulo(&a, &b, &left);
    size = b;
    twice = left;
    size.negative = twice.negative = false;
    decimal_add(&twice, &twice, &twice);
    int order = decimal_compare(&twice, &size);
    if (order == 0) { // is the truncated quotient odd?
        struct decimal pair;
        decimal_add(&size, &size, &pair);
        decimal_modulo(&a, &pair, &twice);
        twice.negative = false;
        order = decimal_compare(&twice, &size) > 0 ? 1 : -1;
    }
    if (order > 0) {
        size.negative = left.negative;
        decimal_subtract(&left, &size, &left);
    }
    value_result_decimal(context, &left);
}

static void power(sqlite3_context *context, int n, sqlite3_value **value) {
    struct decimal a, b, result = one;
    int64_t times;
    if (!two(context, n, value, &a, &b))
        return;
    if (!decimal_to_integer(&b, &times) || times > 1000 || times < -1000) {
        value_result_error(context, a.negative ? 1428 : 3001,
                           "POWER with such an exponent");
        return;
    }
    if (times < 0 && a.count == 0) {
        value_result_error(context, 1476, "");
        return;
    }
    for (int64_t i = times < 0 ? -times : times; i > 0; i--)
        if (!decimal_multiply(&result, &a, &result)) {
            value_result_error(context, 1426, "");
            return;
        }
    // A result of several roundings may be wrong in its last digits.
    if (result.count >= DECIMAL_DIGITS - 1 && (times > 1 || times < -1)) {
        value_result_error(context, 3001, "POWER of this many digits");
        return;
    }
    if (times < 0 && result.count > 0)
        decimal_divide(&one, &result, &result);
    value_result_decimal(context, &result);
}

static bool places_of(sqlite3_context *context, sqlite3_value *value,
                      int *places) {
    int64_t integer;
    if (!value_whole(context, value, &integer))
        return false;
    *places = (int)(integer > 200 ? 200 : integer < -200 ? -200 : integer);
    return true;
}

// TRUNC if the function has user data, else ROUND.
static void to_places(sqlite3_context *context, int n, sqlite3_value **value) {
    const bool cut = sqlite3_user_data(context) != NULL;
    struct decimal a;
    int places = 0;
    if (functions_any_null(n, value))
        return;
    if (value_class_is_time(value_class(value[0]))) {
        date_round_result(context, n, value, cut);
        return;
    }
    if (!value_decimal(context, value[0], &a) ||
        (n > 1 && !places_of(context, value[1], &places)))
        return;
    if (cut)
        decimal_truncate(&a, places, &a);
    else if (!decimal_round(&a, places, &a)) {
        value_result_error(context, 1426, "");
        return;
    }
    value_result_decimal(context, &a);
}

static void bit_and(sqlite3_context *context, int n, sqlite3_value **value) {
    int64_t a, b;
    if (!functions_any_null(n, value) && value_whole(context, value[0], &a) &&
        value_whole(context, value[1], &b))
        sqlite3_result_int64(context, a & b);
}

const struct function number_functions[] = {
    {"ABS", 1, 1, OPERAND_NUMBER, FUNCTION_PLAIN, absolute},
    {"SIGN", 1, 1, OPERAND_SMALL, FUNCTION_PLAIN, sign},
    {"CEIL", 1, 1, OPERAND_NUMBER, FUNCTION_PLAIN, to_whole, "up"},
    {"FLOOR", 1, 1, OPERAND_NUMBER, FUNCTION_PLAIN, to_whole},
    {"MOD", 2, 2, OPERAND_NUMBER, FUNCTION_PLAIN, modulo},
    {"REMAINDER", 2, 2, OPERAND_NUMBER, FUNCTION_PLAIN, remainder_of},
    {"POWER", 2, 2, OPERAND_NUMBER, FUNCTION_PLAIN, power},
    {"ROUND", 1, 2, OPERAND_NUMBER, FUNCTION_PLAIN, to_places, NULL,
     RESULT_ROUNDED},
    {"TRUNC", 1, 2, OPERAND_NUMBER, FUNCTION_PLAIN, to_places, "cut",
     RESULT_ROUNDED},
    {"BITAND", 2, 2, OPERAND_SMALL, FUNCTION_PLAIN, bit_and},
    {NULL},
};
