// SPDX-License-Identifier: GPL-2.0-or-later
// CONNECT_BY_LEVEL$(n): the rows of `dual connect by level <= n`.
#include <sqlite3.h>
#include <stdlib.h>

#include "sql/execute/database.h"

enum { COLUMN_LEVEL, COLUMN_DUMMY, COLUMN_N };

struct cursor {
    sqlite3_vtab_cursor base;
    int64_t level, last;
};

static int connect_table(sqlite3 *db, void *data, int n,
                         const char *const *argument, sqlite3_vtab **table,
                         char **error) {
    (void)db, (void)n, (void)argument, (void)error;
    int rc = database_declare_fixed_table(
        data, "CREATE TABLE x(LEVEL NUMBER, DUMMY VARCHAR2(1), N HIDDEN)");
    if (rc == SQLITE_OK && !(*table = calloc(1, sizeof **table)))
        rc = SQLITE_NOMEM;
    return rc;
}

static int disconnect_table(sqlite3_vtab *table) {
    free(table);
    return SQLITE_OK;
}

static int best_index(sqlite3_vtab *table, sqlite3_index_info *info) {
    (void)table;
    for (int i = 0; i < info->nConstraint; i++)
        if (info->aConstraint[i].usable &&
            info->aConstraint[i].iColumn == COLUMN_N &&
            info->aConstraint[i].op == SQLITE_INDEX_CONSTRAINT_EQ) {
            info->aConstraintUsage[i].argvIndex = 1;
            info->aConstraintUsage[i].omit = 1;
            info->estimatedRows = 1000;
            info->estimatedCost = 1000;
            return SQLITE_OK;
        }
    return SQLITE_CONSTRAINT;
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **cursor) {
    (void)table;
    struct cursor *candidate = calloc(1, sizeof *candidate);
    if (!candidate)
        return SQLITE_NOMEM;
    *cursor = &candidate->base;
    return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *cursor) {
    free(cursor);
    return SQLITE_OK;
}

static int filter(sqlite3_vtab_cursor *cursor, int index, const char *name,
                  int n, sqlite3_value **value) {
    (void)index, (void)name;
    struct cursor *rows = (struct cursor *)cursor;
    rows->level = 1;
    rows->last = n > 0 ? sqlite3_value_int64(value[0]) : 1;
    // CONNECT BY is evaluated for the children of a row: the root always
    // exists.
    if (rows->last < 1)
        rows->last = 1;
    return SQLITE_OK;
}

static int next_row(sqlite3_vtab_cursor *cursor) {
    ((struct cursor *)cursor)->level++;
    return SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor *cursor) {
    return ((struct cursor *)cursor)->level > ((struct cursor *)cursor)->last;
}

static int column(sqlite3_vtab_cursor *cursor, sqlite3_context *context,
                  int n) {
    if (n == COLUMN_LEVEL)
        sqlite3_result_int64(context, ((struct cursor *)cursor)->level);
    else if (n == COLUMN_DUMMY)
        sqlite3_result_text(context, "X", 1, SQLITE_STATIC);
    return SQLITE_OK;
}

static int row_id(sqlite3_vtab_cursor *cursor, sqlite3_int64 *id) {
    *id = ((struct cursor *)cursor)->level;
    return SQLITE_OK;
}

bool connect_by_register(struct database *database) {
    static const sqlite3_module module = {
        .xConnect = connect_table,
        .xBestIndex = best_index,
        .xDisconnect = disconnect_table,
        .xOpen = open_cursor,
        .xClose = close_cursor,
        .xFilter = filter,
        .xNext = next_row,
        .xEof = at_end,
        .xColumn = column,
        .xRowid = row_id,
    };
    return sqlite3_create_module(database->db, "CONNECT_BY_LEVEL$", &module,
                                 database) == SQLITE_OK;
}
