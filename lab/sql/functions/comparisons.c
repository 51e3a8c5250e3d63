// SPDX-License-Identifier: GPL-2.0-or-later
// Comparison and sort keys for values that SQLite compares differently from
// Oracle: text with numbers, numbers of many digits, a DATE with a TIMESTAMP.
#include <sqlite3.h>
#include <string.h>

#include "sql/functions/function.h"
#include "sql/types/value.h"

static void compare(sqlite3_context *context, int n, sqlite3_value **value) {
    int order;
    if (!functions_any_null(n, value) &&
        values_compare(context, value[0], value[1], &order))
        sqlite3_result_int(context, order);
}

// As CHARs: as if the shorter one had blanks at its end.
static void compare_padded(sqlite3_context *context, int n,
                           sqlite3_value **value) {
    struct text a, b;
    int order = 0;
    if (functions_any_null(n, value) || !value_text(context, value[0], &a) ||
        !value_text(context, value[1], &b))
        return;
    for (size_t i = 0; order == 0 && (i < a.length || i < b.length); i++) {
        const int x = i < a.length ? (unsigned char)a.at[i] : ' ';
        const int y = i < b.length ? (unsigned char)b.at[i] : ' ';
        order = (x > y) - (x < y);
    }
    sqlite3_result_int(context, order);
}

// DECODE's rule: equality, except that NULL equals NULL.
static void same(sqlite3_context *context, int n, sqlite3_value **value) {
    int order;
    if (functions_any_null(n, value))
        sqlite3_result_int(context,
                           sqlite3_value_type(value[0]) == SQLITE_NULL &&
                               sqlite3_value_type(value[1]) == SQLITE_NULL);
    else if (values_compare(context, value[0], value[1], &order))
        sqlite3_result_int(context, order == 0);
}

// A key whose order in SQLite is the value's order in Oracle.
static void sort_key(sqlite3_context *context, int n, sqlite3_value **value) {
    uint8_t key[NUMBER_BYTES];
    struct decimal number;
    switch (value_class(value[0])) {
    case CLASS_NULL:
        break;
    case CLASS_NUMBER:
        if (!value_decimal(context, value[0], &number))
            return;
        sqlite3_result_blob(context, key,
                            (int)number_from_decimal(&number, key),
                            SQLITE_TRANSIENT);
        break;
    case CLASS_TIMESTAMP_TZ: // its fields are in UTC
        sqlite3_result_blob(context, sqlite3_value_blob(value[0]),
                            TIMESTAMP_BYTES, SQLITE_TRANSIENT);
        break;
    default:
        sqlite3_result_value(context, value[0]);
    }
    (void)n;
}

// GREATEST if the function has user data, else LEAST. The first value
// determines the type.
static void greatest(sqlite3_context *context, int n, sqlite3_value **value) {
    const int sign = sqlite3_user_data(context) ? 1 : -1;
    int best = 0, order;
    if (n < 1) {
        value_result_error(context, 938, "");
        return;
    }
    if (functions_any_null(n, value))
        return;
    for (int i = 1; i < n; i++) {
        if (value_class(value[i]) != value_class(value[0])) {
            value_result_error(context, 3001, "values of several types");
            return;
        }
        if (!values_compare(context, value[i], value[best], &order))
            return;
        if (order == sign)
            best = i;
    }
    sqlite3_result_value(context, value[best]);
}

struct extreme {
    sqlite3_value *best;
};

static void extreme_step(sqlite3_context *context, int n,
                         sqlite3_value **value) {
    const int sign = sqlite3_user_data(context) ? 1 : -1;
    int order;
    if (functions_any_null(n, value))
        return;
    struct extreme *state = sqlite3_aggregate_context(context, sizeof *state);
    if (!state)
        return;
    if (state->best) {
        if (!values_compare(context, value[0], state->best, &order) ||
            order != sign)
            return;
        sqlite3_value_free(state->best);
    }
    state->best = sqlite3_value_dup(value[0]);
}

static void extreme_final(sqlite3_context *context) {
    struct extreme *state = sqlite3_aggregate_context(context, 0);
    if (!state || !state->best)
        return;
    sqlite3_result_value(context, state->best);
    sqlite3_value_free(state->best);
    state->best = NULL;
}

const struct function comparison_functions[] = {
    {"COMPARE$", 2, 2, OPERAND_UNKNOWN, FUNCTION_INTERNAL, compare},
    {"COMPARE_PADDED$", 2, 2, OPERAND_UNKNOWN, FUNCTION_INTERNAL,
     compare_padded},
    {"SAME$", 2, 2, OPERAND_UNKNOWN, FUNCTION_INTERNAL, same},
    {"SORT_KEY$", 1, 1, OPERAND_UNKNOWN, FUNCTION_INTERNAL, sort_key},
    {"GREATEST", 1, 100, OPERAND_UNKNOWN, FUNCTION_PLAIN, greatest, "greatest",
     RESULT_AS_FIRST},
    {"LEAST", 1, 100, OPERAND_UNKNOWN, FUNCTION_PLAIN, greatest, NULL,
     RESULT_AS_FIRST},
    {"MAX$", 1, 1, .data = "max", .step = extreme_step,
     .answer = extreme_final},
    {"MIN$", 1, 1, .step = extreme_step, .answer = extreme_final},
    {NULL},
};
