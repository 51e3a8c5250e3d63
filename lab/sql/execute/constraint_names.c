// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/execute/constraint_names.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "sql/views/dictionary_views.h"

enum {
    DUPLICATE = 1,
    CANNOT_INSERT_NULL = 1400,
    CANNOT_UPDATE_TO_NULL = 1407,
    DUPLICATES_FOR_INDEX = 1452,
    CHECK_VIOLATED = 2290,
};

// Table and name of the constraint in the rest of the message, ?1. A key
// is in it as "T.A, T.B".
struct search {
    const char *view, *condition;
};

static const struct search keys = {
    "OWN_INDEXES", "\"UNIQUE\" AND ?1 = (SELECT group_concat(TABLE_NAME || '.'"
                   " || value, ', ') FROM json_each(COLUMNS))"};
static const struct search columns = {"OWN_COLUMNS",
                                      "?1 = TABLE_NAME || '.' || NAME"};
static const struct search checks = {"OWN_CONSTRAINTS",
                                     "TYPE = 'C' AND ?1 IN (NAME, NATIVE)"};

static sqlite3_stmt *begin(const struct database *database,
                           const struct search *search, const char *about) {
    sqlite3_stmt *statement = NULL;
    char *view = dictionary_view_query(search->view, database->own_schema);
    char *sql = sqlite3_mprintf("SELECT TABLE_NAME, NAME FROM %s WHERE %s",
                                view ? view : "", search->condition);
    if (sql)
        sqlite3_prepare_v2(database->db, sql, -1, &statement, NULL);
    sqlite3_free(sql);
    sqlite3_free(view);
    sqlite3_bind_text(statement, 1, about, -1, SQLITE_STATIC);
    return statement;
}

// Several tables may have the same condition.
static bool is_changed(const struct cursor *cursor, const char *table) {
    const struct result_key key =
        statement_table_key(cursor->database->sga->user, table);
    return cursor->tables.changes &&
           memcmp(&key, &cursor->tables.changed, sizeof key) == 0;
}

static void tell(const struct cursor *cursor, const struct search *search,
                 const char *about, unsigned number, struct ora_error *error) {
    const char *user = cursor->database->sga->user;
    const bool column = search == &columns;
    char shown_column[300];
    sqlite3_stmt *statement = begin(cursor->database, search, about);
    while (statement && sqlite3_step(statement) == SQLITE_ROW) {
        const char *table = (const char *)sqlite3_column_text(statement, 0);
        const char *name = (const char *)sqlite3_column_text(statement, 1);
        if (!table || !name || !is_changed(cursor, table))
            continue;
        if (column)
            snprintf(shown_column, sizeof shown_column, "\"%s\".\"%s\".\"%s\"",
                     user, table, name);
        else
            snprintf(shown_column, sizeof shown_column, "%s.%s", user, name);
        ora_error_set(error, number, shown_column);
        break;
    }
    sqlite3_finalize(statement);
}

void constraint_names_tell(const struct cursor *cursor, const char *message,
                           struct ora_error *error) {
    struct database *database = cursor->database;
    const char *colon = strstr(message, ": ");
    const bool update = cursor->kind == STATEMENT_UPDATE;
    const struct search *search = error->number == DUPLICATE ? &keys
                                  : error->number == CANNOT_INSERT_NULL
                                      ? &columns
                                  : error->number == CHECK_VIOLATED ? &checks
                                                                    : NULL;
    if (!search || !colon)
        return;
    if (cursor->kind == STATEMENT_DDL) {
        if (search == &keys)
            ora_error_set(error, DUPLICATES_FOR_INDEX, "");
        return;
    }
    struct sqlite3 *counted = database->lio.db;
    struct statement_tables *noting = database->noting;
    const bool declaring = database->declaring;
    database->lio.db = NULL; // these gets are not the statement's
    database->noting = NULL;
    database->declaring = true;
    tell(cursor, search, colon + 2,
         search == &columns && update ? CANNOT_UPDATE_TO_NULL : error->number,
         error);
    database->declaring = declaring;
    database->noting = noting;
    database->lio.db = counted;
}
