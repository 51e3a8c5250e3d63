// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/fixed_table.h"

#include <sqlite3.h>
#include <stdlib.h>

struct table {
    sqlite3_vtab base;
    const struct fixed_table *definition;
    const struct database *database;
};

struct cursor {
    sqlite3_vtab_cursor base;
    int row;
};

struct registration { // what a module is registered with
    const struct fixed_table *definition;
    struct database *database;
};

static int connect_table(sqlite3 *db, void *data, int n,
                         const char *const *argument, sqlite3_vtab **table,
                         char **error) {
    (void)db, (void)n, (void)argument, (void)error;
    const struct registration *registration = data;
    struct table *made = calloc(1, sizeof *made);
    char *sql = sqlite3_mprintf("CREATE TABLE x(%s)",
                                registration->definition->columns);
    int rc =
        made && sql ? declare_fixed(registration->database, sql) : SQLITE_NOMEM;
    sqlite3_free(sql);
    if (rc != SQLITE_OK) {
        free(made);
        return rc;
    }
    made->definition = registration->definition;
    made->database = registration->database;
    *table = &made->base;
    return SQLITE_OK;
}

static int disconnect_table(sqlite3_vtab *table) {
    free(table);
    return SQLITE_OK;
}

static int best_index(sqlite3_vtab *table, sqlite3_index_info *info) {
    int rows = ((struct table *)table)->definition->rows;
    info->estimatedCost = rows;
    info->estimatedRows = rows;
    return SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **cursor) {
    (void)table;
    struct cursor *made = calloc(1, sizeof *made);
    if (!made)
        return SQLITE_NOMEM;
    *cursor = &made->base;
    return SQLITE_OK;
}

static int close_cursor(sqlite3_vtab_cursor *cursor) {
    free(cursor);
    return SQLITE_OK;
}

static const struct table *table_of(const sqlite3_vtab_cursor *cursor) {
    return (const struct table *)cursor->pVtab;
}

static void skip_absent(struct cursor *cursor) {
    const struct table *table = table_of(&cursor->base);
    const struct fixed_table *definition = table->definition;
    while (cursor->row < definition->rows && definition->present &&
           !definition->present(table->database, cursor->row))
        cursor->row++;
}

static int filter(sqlite3_vtab_cursor *cursor, int index, const char *name,
                  int n, sqlite3_value **value) {
    (void)index, (void)name, (void)n, (void)value;
    ((struct cursor *)cursor)->row = 0;
    skip_absent((struct cursor *)cursor);
    return SQLITE_OK;
}

static int next_row(sqlite3_vtab_cursor *cursor) {
    ((struct cursor *)cursor)->row++;
    skip_absent((struct cursor *)cursor);
    return SQLITE_OK;
}

static int at_end(sqlite3_vtab_cursor *cursor) {
    return ((struct cursor *)cursor)->row >= table_of(cursor)->definition->rows;
}

static int column(sqlite3_vtab_cursor *cursor, sqlite3_context *context,
                  int n) {
    const struct table *table = table_of(cursor);
    table->definition->column(context, table->database,
                              ((struct cursor *)cursor)->row, n);
    return SQLITE_OK;
}

static int row_id(sqlite3_vtab_cursor *cursor, sqlite3_int64 *id) {
    *id = ((struct cursor *)cursor)->row;
    return SQLITE_OK;
}

// Without xCreate the table is there in every database without being made.
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

bool fixed_tables_register(struct database *database) {
    const struct fixed_table *const lists[] = {statistic_tables,
                                               session_tables};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const struct fixed_table *t = lists[i]; t->name; t++) {
            struct registration *r = malloc(sizeof *r);
            if (!r)
                return false;
            *r = (struct registration){t, database};
            if (sqlite3_create_module_v2(database->db, t->name, &module, r,
                                         free) != SQLITE_OK)
                return false;
        }
    return true;
}
