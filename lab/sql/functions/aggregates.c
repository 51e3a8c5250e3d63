// SPDX-License-Identifier: GPL-2.0-or-later
// SUM and AVG of decimal numbers, also as window functions, and the check that
// a scalar subquery returns one row.
#include <sqlite3.h>
#include <string.h>

#include "sql/functions/function.h"
#include "sql/functions/sum.h"
#include "sql/types/binary_number.h"
#include "sql/types/value.h"

static void widen(struct sum *sum) {
    if (sum->wide)
        return;
    sum->decimal = decimal_from_integer(sum->integer);
    sum->wide = true;
}

// In the order of the rows, as each addition rounds.
static void change_binary(sqlite3_context *context, struct sum *sum,
                          sqlite3_value *value, bool take) {
    const enum value_class class = value_class(value);
    double number;
    if (take || (sum->count > 1 && sum->binary != class)) {
        value_result_error(context, 3001,
                           take ? "a moving sum of BINARY_DOUBLE"
                                : "numbers of several types");
        sum->failed = true;
    } else if (value_binary(context, value, class, &number)) {
        sum->number += number;
        if (class == CLASS_BINARY_FLOAT)
            sum->number = (double)(float)sum->number;
        sum->binary = class;
    }
}

static void change(sqlite3_context *context, struct sum *sum,
                   sqlite3_value *value, bool take) {
    struct decimal number;
    int64_t result;
    if (sum->failed)
        return;
    sum->count += take ? -1 : 1;
    if (sum->binary || value_class_is_binary(value_class(value))) {
        change_binary(context, sum, value, take);
        return;
    }
    if (!sum->wide && sqlite3_value_type(value) == SQLITE_INTEGER &&
        !(take ? __builtin_sub_overflow(sum->integer,
                                        sqlite3_value_int64(value), &result)
               : __builtin_add_overflow(sum->integer,
                                        sqlite3_value_int64(value), &result))) {
        sum->integer = result;
        return;
    }
    sum->failed = !value_decimal(context, value, &number);
    if (sum->failed)
        return;
    widen(sum);
    if (!(take ? decimal_subtract(&sum->decimal, &number, &sum->decimal)
               : decimal_add(&sum->decimal, &number, &sum->decimal))) {
        sum->failed = true;
        value_result_error(context, 1426, "");
    }
}

void sum_add(sqlite3_context *context, struct sum *sum, sqlite3_value *value) {
    if (sqlite3_value_type(value) != SQLITE_NULL)
        change(context, sum, value, false);
}

static void change_own(sqlite3_context *context, sqlite3_value *value,
                       bool take) {
    if (sqlite3_value_type(value) == SQLITE_NULL)
        return;
    struct sum *sum = sqlite3_aggregate_context(context, sizeof *sum);
    if (sum)
        change(context, sum, value, take);
}

static void step(sqlite3_context *context, int n, sqlite3_value **value) {
    (void)n;
    change_own(context, value[0], false);
}

static void inverse(sqlite3_context *context, int n, sqlite3_value **value) {
    (void)n;
    change_own(context, value[0], true);
}

void sum_answer(sqlite3_context *context, struct sum *sum, bool average) {
    if (sum->count == 0 || sum->failed)
        return;
    if (sum->binary) {
        value_result_binary(
            context, average ? sum->number / (double)sum->count : sum->number,
            sum->binary);
        return;
    }
    widen(sum);
    struct decimal result = sum->decimal;
    if (average) {
        struct decimal count = decimal_from_integer(sum->count);
        decimal_divide(&sum->decimal, &count, &result);
    }
    value_result_decimal(context, &result);
}

// AVG if the function has user data, else SUM.
static void answer(sqlite3_context *context) {
    struct sum *sum = sqlite3_aggregate_context(context, 0);
    if (sum)
        sum_answer(context, sum, sqlite3_user_data(context) != NULL);
}

// ONE_ROW$(value): the value of the only row; ORA-01427 at a second one.
static void one_row(sqlite3_context *context, int n, sqlite3_value **value) {
    sqlite3_value **only = sqlite3_aggregate_context(context, sizeof *only);
    (void)n;
    if (only && *only)
        value_result_error(context, 1427, "");
    else if (only)
        *only = sqlite3_value_dup(value[0]);
}

static void answer_only(sqlite3_context *context) {
    sqlite3_value **only = sqlite3_aggregate_context(context, 0);
    if (!only || !*only)
        return;
    sqlite3_result_value(context, *only);
    sqlite3_value_free(*only);
}

// MERGED$(row, times): the row that MERGE is about; ORA-30926 if it is to be
// updated several times.
static void merged(sqlite3_context *context, int n, sqlite3_value **value) {
    (void)n;
    if (sqlite3_value_type(value[0]) != SQLITE_NULL &&
        sqlite3_value_int64(value[1]) > 1)
        value_result_error(context, 30926, "");
    else
        sqlite3_result_value(context, value[0]);
}

const struct function aggregate_functions[] = {
    {"MERGED$", 2, 2, OPERAND_UNKNOWN, FUNCTION_INTERNAL, merged},
    {"SUM", 1, 1, OPERAND_NUMBER, FUNCTION_AGGREGATE, .result = RESULT_SUMMED,
     .step = step, .inverse = inverse, .answer = answer},
    {"AVG", 1, 1, OPERAND_NUMBER, FUNCTION_AGGREGATE, .data = "avg",
     .result = RESULT_SUMMED, .step = step, .inverse = inverse,
     .answer = answer},
    {"ONE_ROW$", 1, 1, .step = one_row, .answer = answer_only},
    {NULL},
};
