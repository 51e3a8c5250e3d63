// SPDX-License-Identifier: GPL-2.0-or-later
// TO_BINARY_DOUBLE and TO_BINARY_FLOAT, and the names of values without digits.
#include <math.h>
#include <sqlite3.h>

#include "sql/functions/function.h"
#include "sql/types/binary_number.h"

// The user data is the class.
static void convert(sqlite3_context *context, int n, sqlite3_value **value) {
    const enum value_class class =
        (enum value_class)(intptr_t)sqlite3_user_data(context);
    double number;
    if (!functions_any_null(n, value) &&
        value_binary(context, value[0], class, &number))
        value_result_binary(context, number, class);
}

static void nan_of(sqlite3_context *context, int n, sqlite3_value **value) {
    (void)n, (void)value;
    value_result_binary(context, (double)NAN,
                        (enum value_class)(intptr_t)sqlite3_user_data(context));
}

static void infinity(sqlite3_context *context, int n, sqlite3_value **value) {
    (void)n, (void)value;
    value_result_binary(context, (double)INFINITY,
                        (enum value_class)(intptr_t)sqlite3_user_data(context));
}

const struct function binary_number_functions[] = {
    {"TO_BINARY_DOUBLE", 1, 1, OPERAND_BINARY_DOUBLE, FUNCTION_PLAIN, convert,
     (void *)CLASS_BINARY_DOUBLE, .of_binary_numbers = true},
    {"TO_BINARY_FLOAT", 1, 1, OPERAND_BINARY_FLOAT, FUNCTION_PLAIN, convert,
     (void *)CLASS_BINARY_FLOAT, .of_binary_numbers = true},
    {"BINARY_DOUBLE_NAN", 0, 0, OPERAND_BINARY_DOUBLE, FUNCTION_BARE, nan_of,
     (void *)CLASS_BINARY_DOUBLE},
    {"BINARY_FLOAT_NAN", 0, 0, OPERAND_BINARY_FLOAT, FUNCTION_BARE, nan_of,
     (void *)CLASS_BINARY_FLOAT},
    {"BINARY_DOUBLE_INFINITY", 0, 0, OPERAND_BINARY_DOUBLE, FUNCTION_BARE,
     infinity, (void *)CLASS_BINARY_DOUBLE},
    {"BINARY_FLOAT_INFINITY", 0, 0, OPERAND_BINARY_FLOAT, FUNCTION_BARE,
     infinity, (void *)CLASS_BINARY_FLOAT},
    {NULL},
};
