// SPDX-License-Identifier: GPL-2.0-or-later
// A remote table as a table of SQLite's, and a query that is remote as a whole
// as another one, whose hidden columns are the query's binds.
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sql/execute/remote_columns.h"
#include "sql/execute/remote_scan.h"
#include "sql/execute/transaction.h"
#include "sql/types/value.h"

enum { ROWS_OF_PLSQL = 100 }; // that it fetches at a time

struct table {
    sqlite3_vtab base;
    struct remote_definition *definition;
};

struct cursor_of_table {
    sqlite3_vtab_cursor base;
    struct remote_query *query; // NULL: not parsed yet
    char *text;                 // that it was parsed from
    uint64_t used;              // columns
    bool found;
    sqlite3_int64 row;
};

static struct remote_definition *definition_of(const sqlite3_vtab *table) {
    return ((const struct table *)table)->definition;
}

static const struct remote_calls *calls_of(const struct remote_definition *of) {
    return of->database->remote_calls;
}

static int fail(sqlite3_vtab *table, const struct ora_error *error) {
    sqlite3_free(table->zErrMsg);
    table->zErrMsg = sqlite3_mprintf("%s", error->text);
    return SQLITE_ERROR;
}

static uint32_t rows_wanted(const struct remote_definition *of) {
    const uint32_t rows = of->database->rows_wanted;
    return rows > 0 ? rows : ROWS_OF_PLSQL;
}

static char *create_text(const struct remote_definition *of) {
    sqlite3_str *sql = sqlite3_str_new(NULL);
    const char *between = "";
    char declared[DECLARED_TYPE];
    sqlite3_str_appendall(sql, "CREATE TABLE x(");
    for (unsigned i = 0; i < of->columns; i++) {
        remote_column_declare(&of->column[i], declared);
        if (of->query) // its columns may share a name
            sqlite3_str_appendf(sql, "%sC%u %s", between, i, declared);
        else
            sqlite3_str_appendf(sql, "%s\"%w\" %s", between, of->column[i].name,
                                declared);
        between = ", ";
    }
    for (unsigned i = 0; i < of->binds; i++)
        sqlite3_str_appendf(sql, ", B%u HIDDEN", i);
    sqlite3_str_appendall(sql, ")");
    return sqlite3_str_finish(sql);
}

static int connect_table(sqlite3 *db, void *data, int n,
                         const char *const *argument, sqlite3_vtab **table,
                         char **error) {
    (void)db, (void)n, (void)argument, (void)error;
    struct remote_definition *of = data;
    struct table *created = calloc(1, sizeof *created);
    char *sql = create_text(of);
    const int rc = created && sql
                       ? database_declare_fixed_table(of->database, sql)
                       : SQLITE_NOMEM;
    sqlite3_free(sql);
    if (rc != SQLITE_OK) {
        free(created);
        return rc;
    }
    created->definition = of;
    *table = &created->base;
    return SQLITE_OK;
}

static int disconnect_table(sqlite3_vtab *table) {
    free(table);
    return SQLITE_OK;
}

static int best_index(sqlite3_vtab *table, sqlite3_index_info *info) {
    struct ora_error error = {0};
    const int rc = remote_plan(definition_of(table), info, &error);
    return error.number ? fail(table, &error) : rc;
}

static int open_cursor(sqlite3_vtab *table, sqlite3_vtab_cursor **cursor) {
    struct cursor_of_table *scan = calloc(1, sizeof *scan);
    (void)table;
    if (!scan)
        return SQLITE_NOMEM;
    *cursor = &scan->base;
    return SQLITE_OK;
}

static void forget_query(struct cursor_of_table *cursor) {
    struct remote_definition *of = definition_of(cursor->base.pVtab);
    if (cursor->query && cursor->query == of->query)
        of->in_use = false;
    else if (cursor->query)
        calls_of(of)->close(cursor->query);
    cursor->query = NULL;
    sqlite3_free(cursor->text);
    cursor->text = NULL;
}

static int close_cursor(sqlite3_vtab_cursor *base) {
    forget_query((struct cursor_of_table *)base);
    free(base);
    return SQLITE_OK;
}

// Whether the remote side still has the columns that the statement was parsed
// with.
static bool same_columns(const struct remote_definition *of, uint64_t used,
                         const struct remote_query *query,
                         struct ora_error *error) {
    enum { INCONSISTENT_TYPES = 932 };
    const struct column *column;
    const unsigned columns = calls_of(of)->columns(query, &column);
    const unsigned expected = remote_plan_place(used, of->columns);
    bool matches = columns == (expected ? expected : 1);
    for (unsigned i = 0; i < of->columns && matches && expected; i++)
        if (remote_plan_uses(used, i))
            matches =
                column[remote_plan_place(used, i)].type == of->column[i].type;
    if (!matches)
        ora_error_set(error, INCONSISTENT_TYPES,
                      "the remote columns have changed");
    return matches;
}

static bool parse_table(struct cursor_of_table *cursor, char *text, int binds,
                        struct ora_error *error) {
    struct remote_definition *of = definition_of(cursor->base.pVtab);
    if (cursor->query && strcmp(cursor->text, text) == 0) {
        sqlite3_free(text);
        return true;
    }
    forget_query(cursor);
    cursor->text = text;
    cursor->query = calls_of(of)->parse(of->database->remote, of->link, text,
                                        strlen(text), (unsigned)binds, error);
    if (cursor->query && same_columns(of, cursor->used, cursor->query, error))
        return true;
    forget_query(cursor);
    return false;
}

static bool advance(struct cursor_of_table *cursor, struct ora_error *error) {
    const struct remote_definition *of = definition_of(cursor->base.pVtab);
    cursor->row++;
    of->database->remote_rows = true;
    return calls_of(of)->next(cursor->query, rows_wanted(of), &cursor->found,
                              error);
}

static int filter(sqlite3_vtab_cursor *base, int index, const char *plan, int n,
                  sqlite3_value **value) {
    struct cursor_of_table *cursor = (struct cursor_of_table *)base;
    struct remote_definition *of = definition_of(base->pVtab);
    struct ora_error error = {0};
    bool ready = true;
    (void)index;
    cursor->found = false;
    if (of->query) {
        cursor->used = UINT64_MAX;
        ready = cursor->query || !of->in_use;
        if (ready) {
            cursor->query = of->query;
            of->in_use = true;
        } else {
            ora_error_set(&error, 3001, "a remote query inside itself");
        }
    } else {
        char *text = remote_plan_text(of, plan, &cursor->used, &n, value);
        if (!text)
            return SQLITE_NOMEM;
        ready = parse_table(cursor, text, n, &error);
    }
    enum remote_step *step = &of->database->remote_step;
    const bool alone = of->query && *step == REMOTE_ALONE;
    if (!of->query || *step != REMOTE_EXECUTED)
        ready =
            ready && calls_of(of)->execute(cursor->query, value, (unsigned)n,
                                           alone ? 0 : rows_wanted(of), &error);
    transaction_show(of->database);
    if (ready && alone) {
        *step = REMOTE_EXECUTED;
        return SQLITE_ABORT; // the statement restarts when rows are wanted
    }
    ready = ready && advance(cursor, &error);
    return ready ? SQLITE_OK : fail(base->pVtab, &error);
}

static int next_row(sqlite3_vtab_cursor *base) {
    struct ora_error error = {0};
    return advance((struct cursor_of_table *)base, &error)
               ? SQLITE_OK
               : fail(base->pVtab, &error);
}

static int at_end(sqlite3_vtab_cursor *base) {
    return !((struct cursor_of_table *)base)->found;
}

static void result(sqlite3_context *context, const struct bind_value *value) {
    switch (value->kind) {
    case BIND_INTEGER:
        sqlite3_result_int64(context, value->integer);
        break;
    case BIND_DOUBLE:
        sqlite3_result_double(context, value->real);
        break;
    case BIND_TEXT:
        sqlite3_result_text64(context, value->data, value->length,
                              SQLITE_TRANSIENT, SQLITE_UTF8);
        break;
    case BIND_NULL:
        break;
    default:
        if (value->kind == BIND_RAW && value_length_is_reserved(value->length))
            value_result_error(context, 3001,
                               "a RAW of 7, 11, 13 or 23 to 25 bytes");
        else
            sqlite3_result_blob64(context, value->data, value->length,
                                  SQLITE_TRANSIENT);
    }
}

static int column(sqlite3_vtab_cursor *base, sqlite3_context *context, int n) {
    struct cursor_of_table *cursor = (struct cursor_of_table *)base;
    const struct remote_definition *of = definition_of(base->pVtab);
    struct ora_error error = {0};
    struct bind_value value;
    if ((unsigned)n >= of->columns)
        return SQLITE_OK; // an argument: nothing reads it
    if (!calls_of(of)->value(cursor->query,
                             remote_plan_place(cursor->used, (unsigned)n),
                             &value, &error))
        return fail(base->pVtab, &error);
    result(context, &value);
    return SQLITE_OK;
}

static int row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *id) {
    *id = ((struct cursor_of_table *)base)->row;
    return SQLITE_OK;
}

const struct sqlite3_module remote_module = {
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
