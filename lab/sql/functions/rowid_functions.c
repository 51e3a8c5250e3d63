// SPDX-License-Identifier: GPL-2.0-or-later
// ROWIDTOCHAR and CHARTOROWID, and the value of the column ROWID.
#include <sqlite3.h>

#include "sql/functions/function.h"
#include "sql/types/rowid.h"
#include "sql/types/value.h"

static void result_rowid(sqlite3_context *context, const struct rowid *rowid) {
    uint8_t bytes[ROWID_BYTES];
    rowid_write(rowid, bytes);
    sqlite3_result_blob(context, bytes, sizeof bytes, SQLITE_TRANSIENT);
}

// ROWID$(row, object): the ROWID of a table's row.
static void rowid_of(sqlite3_context *context, int n, sqlite3_value **value) {
    struct rowid rowid;
    if (functions_any_null(n, value)) // of an outer join
        return;
    if (rowid_of_row((uint32_t)sqlite3_value_int64(value[1]),
                     sqlite3_value_int64(value[0]), &rowid))
        result_rowid(context, &rowid);
    else
        value_result_error(context, 3001, "so large a row number");
}

// ROW$(rowid, object): the number of that row, which must be of this table.
static void row_of(sqlite3_context *context, int n, sqlite3_value **value) {
    struct rowid rowid;
    int64_t row;
    if (functions_any_null(n, value) || !value_rowid(context, value[0], &rowid))
        return;
    if (rowid_to_row(&rowid, (uint32_t)sqlite3_value_int64(value[1]), &row))
        sqlite3_result_int64(context, row);
    else
        value_result_error(context, INVALID_ROWID, "");
}

static void from_char(sqlite3_context *context, int n, sqlite3_value **value) {
    struct rowid rowid;
    if (!functions_any_null(n, value) && value_rowid(context, value[0], &rowid))
        result_rowid(context, &rowid);
}

static void to_char(sqlite3_context *context, int n, sqlite3_value **value) {
    char text[ROWID_TEXT + 1];
    struct rowid rowid;
    if (functions_any_null(n, value) || !value_rowid(context, value[0], &rowid))
        return;
    rowid_to_text(&rowid, text);
    value_result_text(context, text, ROWID_TEXT);
}

const struct function rowid_functions[] = {
    {"ROWID$", 2, 2, OPERAND_ROWID, FUNCTION_INTERNAL, rowid_of},
    {"ROW$", 2, 2, OPERAND_UNKNOWN, FUNCTION_INTERNAL, row_of},
    {"CHARTOROWID", 1, 1, OPERAND_ROWID, FUNCTION_PLAIN, from_char},
    {"ROWIDTOCHAR", 1, 1, OPERAND_TEXT, FUNCTION_PLAIN, to_char},
    {NULL},
};
