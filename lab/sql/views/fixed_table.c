// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/views/fixed_table.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "sql/types/oracle_date.h"

struct table {
    sqlite3_vtab base;
    const struct registration *registration;
};

struct cursor {
    sqlite3_vtab_cursor base;
    int row;
};

// V$DIAG_INFO names the instance by itself, as few views do.
static bool names_instance(const struct fixed_table *definition) {
    return strcmp(definition->columns->name, "INST_ID") == 0;
}

struct registration { // the argument of sqlite3_create_module_v2()
    const struct fixed_table *definition;
    struct database *database;
    bool global; // the GV$ variant
};

static char *create_text(const struct registration *registration) {
    sqlite3_str *sql = sqlite3_str_new(NULL);
    const char *between = "";
    sqlite3_str_appendall(sql, "CREATE TABLE x(");
    if (registration->global) {
        sqlite3_str_appendall(sql, "INST_ID NUMBER");
        between = ", ";
    }
    for (const struct fixed_column *c = registration->definition->columns;
         c->name; c++) {
        sqlite3_str_appendf(sql, "%s\"%w\" %s", between, c->name, c->type);
        between = ", ";
    }
    sqlite3_str_appendall(sql, ")");
    return sqlite3_str_finish(sql);
}

static int connect_table(sqlite3 *db, void *data, int n,
                         const char *const *argument, sqlite3_vtab **table,
                         char **error) {
    (void)db, (void)n, (void)argument, (void)error;
    const struct registration *registration = data;
    struct table *created = calloc(1, sizeof *created);
    char *sql = create_text(registration);
    int rc = created && sql
                 ? database_declare_fixed_table(registration->database, sql)
                 : SQLITE_NOMEM;
    sqlite3_free(sql);
    if (rc != SQLITE_OK) {
        free(created);
        return rc;
    }
    created->registration = registration;
    *table = &created->base;
    return SQLITE_OK;
}

static int disconnect_table(sqlite3_vtab *table) {
    free(table);
    return SQLITE_OK;
}

static int best_index(sqlite3_vtab *table, sqlite3_index_info *info) {
    int rows = ((struct table *)table)->registration->definition->rows;
    info->estimatedCost = rows;
    info->estimatedRows = rows;
    return SQLITE_OK;
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

static const struct registration *
registration_of(const sqlite3_vtab_cursor *cursor) {
    return ((const struct table *)cursor->pVtab)->registration;
}

static void skip_absent(struct cursor *cursor) {
    const struct registration *of = registration_of(&cursor->base);
    const struct fixed_table *definition = of->definition;
    while (cursor->row < definition->rows && definition->present &&
           !definition->present(of->database, cursor->row))
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
    return ((struct cursor *)cursor)->row >=
           registration_of(cursor)->definition->rows;
}

static int column(sqlite3_vtab_cursor *cursor, sqlite3_context *context,
                  int n) {
    const struct registration *of = registration_of(cursor);
    if (of->global && n-- == 0) {
        sqlite3_result_int(context, 1);
        return SQLITE_OK;
    }
    const struct fixed_cell cell = {context, of->database,
                                    ((struct cursor *)cursor)->row,
                                    &of->definition->columns[n]};
    if (cell.column->value)
        cell.column->value(&cell);
    else if (cell.column->text)
        fixed_text(&cell, cell.column->text);
    return SQLITE_OK;
}

static int row_id(sqlite3_vtab_cursor *cursor, sqlite3_int64 *id) {
    *id = ((struct cursor *)cursor)->row;
    return SQLITE_OK;
}

// An eponymous table: without xCreate it exists in every database.
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

static bool register_one(struct database *database,
                         const struct fixed_table *definition, bool global) {
    struct registration *r = malloc(sizeof *r);
    char *name = sqlite3_mprintf("%s%s", global ? "G" : "", definition->name);
    bool succeeded = false;
    if (r && name) {
        *r = (struct registration){definition, database,
                                   global && !names_instance(definition)};
        // It also frees `r` on failure.
        succeeded = sqlite3_create_module_v2(database->db, name, &module, r,
                                             free) == SQLITE_OK;
    } else {
        free(r);
    }
    sqlite3_free(name);
    return succeeded;
}

bool fixed_tables_register(struct database *database) {
    const struct fixed_table *const lists[] = {
        statistic_views,    wait_views,          session_views,
        session_wait_views, process_views,       sql_views,
        instance_views,     trace_views,         latch_views,
        result_cache_views, result_object_views, link_views,
        sequence_views,     transaction_views,   active_session_views,
        job_views};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const struct fixed_table *t = lists[i]; t->name; t++)
            if (!register_one(database, t, false) ||
                (t->name[0] == 'V' && !register_one(database, t, true)))
                return false;
    return true;
}

void fixed_text(const struct fixed_cell *cell, const char *value) {
    if (*value)
        sqlite3_result_text(cell->context, value, -1, SQLITE_TRANSIENT);
}

void fixed_integer(const struct fixed_cell *cell, int64_t value) {
    sqlite3_result_int64(cell->context, value);
}

void fixed_date(const struct fixed_cell *cell, int64_t seconds) {
    uint8_t bytes[DATE_BYTES];
    struct oracle_date date = oracle_date_of(seconds, 0);
    oracle_date_write(&date, bytes, sizeof bytes);
    sqlite3_result_blob(cell->context, bytes, sizeof bytes, SQLITE_TRANSIENT);
}

void fixed_address(const struct fixed_cell *cell, unsigned base) {
    const int row = cell->row;
    const uint8_t bytes[8] = {
        0, 0, 0, 0, (uint8_t)base, (uint8_t)(row >> 8), (uint8_t)row, 0};
    sqlite3_result_blob(cell->context, bytes, sizeof bytes, SQLITE_TRANSIENT);
}

void fixed_zero(const struct fixed_cell *cell) {
    fixed_integer(cell, 0);
}

void fixed_one(const struct fixed_cell *cell) {
    fixed_integer(cell, 1);
}
