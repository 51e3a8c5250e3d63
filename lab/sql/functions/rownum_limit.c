// SPDX-License-Identifier: GPL-2.0-or-later
// ROWNUM_LIMIT$(comparison, bound): the number of rows for which `ROWNUM
// comparison bound` holds.
#include <sqlite3.h>
#include <string.h>

#include "sql/functions/function.h"
#include "sql/types/value.h"

static const int64_t all = 1000000000000000000;

static void rownum_limit(sqlite3_context *context, int n,
                         sqlite3_value **value) {
    const char *comparison = (const char *)sqlite3_value_text(value[0]);
    struct decimal bound, whole;
    int64_t rows;
    if (functions_any_null(n, value) || !comparison) {
        sqlite3_result_int(context, 0);
        return;
    }
    if (!value_decimal(context, value[1], &bound))
        return;
    decimal_truncate(&bound, 0, &whole);
    const bool exact = decimal_compare(&bound, &whole) == 0;
    if (!decimal_to_integer(&whole, &rows) || rows > all || rows < -all)
        rows = whole.negative ? -all : all;
    if (strcmp(comparison, "<") == 0)
        rows -= exact;
    else if (strcmp(comparison, "=") == 0)
        rows = exact && rows == 1;
    else if (strcmp(comparison, "<=") != 0)
        // > and >=: a row is number 1 until one passes
        rows = rows < 1 || (comparison[1] && exact && rows == 1) ? all : 0;
    sqlite3_result_int64(context, rows < 0 ? 0 : rows);
}

const struct function rownum_functions[] = {
    {"ROWNUM_LIMIT$", 2, 2, OPERAND_UNKNOWN, FUNCTION_INTERNAL, rownum_limit},
    {NULL},
};
