// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/views/catalog.h"

#include <ctype.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "sql/execute/database.h"
#include "sql/execute/remote.h"
#include "sql/execute/statement_journal.h"
#include "sql/execute/statement_steps.h"
#include "sql/views/clusters.h"
#include "sql/views/dictionary_views.h"
#include "sql/views/sys_columns.h"
#include "sql/types/view_marks.h"

// Prepares a query without running it, and frees its text. For a table that
// does not exist, SQLite reads the first page of each file to see whether the
// schema has changed. Those gets do not count for the statement, which may be
// the one that reads the number of gets.
sqlite3_stmt *catalog_prepare(struct database *database, char *sql) {
    struct sqlite3 *counted = database->lio.db;
    sqlite3_stmt *statement = NULL;

    database->lio.db = NULL;
    if (sql)
        sqlite3_prepare_v2(database->db, sql, -1, &statement, NULL);
    database->lio.db = counted;
    sqlite3_free(sql);
    return statement;
}

static sqlite3_stmt *prepare_table(struct database *database, const char *owner,
                                   const char *table) {
    return catalog_prepare(
        database, sqlite3_mprintf("SELECT * FROM %s.\"%w\"", owner, table));
}

static sqlite3_stmt *prepare_view(struct database *database, const char *name) {
    char *query = dictionary_view_query(name, database->own_schema);
    char *sql = query ? sqlite3_mprintf("SELECT * FROM %s", query) : NULL;
    sqlite3_free(query);
    return catalog_prepare(database, sql);
}

// The statement that created a view or synonym is the only row of a view
// of SQLite's, of which emit/views.c is the author.
static bool has_mark(sqlite3_stmt *statement, const char *mark) {
    return statement && strcmp(sqlite3_column_name(statement, 0), mark) == 0;
}

static sqlite3_stmt *prepare_public(struct database *database,
                                    const char *name) {
    char *full_name = sqlite3_mprintf(PUBLIC_SYNONYM "%s", name);
    sqlite3_stmt *statement =
        full_name ? prepare_table(database, database->own_schema, full_name)
                  : NULL;
    sqlite3_free(full_name);
    return statement;
}

// SYS names the view V$SESSION also V_$SESSION.
static const char *without_underscore(const char *table, char *room,
                                      size_t size) {
    const char *v = table + (table[0] == 'G');
    if (strncmp(v, "V_$", 3) != 0)
        return table;
    snprintf(room, size, "%s%s", table[0] == 'G' ? "GV" : "V", v + 2);
    return room;
}

// SQLite compares names without case, Oracle with it, and SQLite finds the
// fixed tables in every schema.
static bool is_own(struct database *database, const char *table) {
    const char *name =
        sqlite_table_name(database->db, database->sga->user, table);
    return name && strcmp(name, table) == 0;
}

// For a name that it finds, as it does a fixed table's in every schema, SQLite
// does not look whether another session has made a table of that name since;
// for one that it does not find, it does. Whether the table is there then.
static bool see_new_tables(struct database *database, const char *table) {
    sqlite3_finalize(prepare_table(database, database->own_schema, ""));
    return is_own(database, table);
}

// Nor has SYS an "@" in a name; remote tables do, and SQLite finds these in
// every schema as well.
static bool may_be_of_sys(const char *owner, const char *table) {
    for (const char *c = table; *c; c++)
        if (islower((unsigned char)*c) || *c == '@')
            return false;
    return !*owner || strcmp(owner, "SYS") == 0;
}

void catalog_take_types(sqlite3_stmt *view, int first, take_column_of *take,
                        void *to) {
    char type[40];
    for (int i = first; i < sqlite3_column_count(view); i++) {
        const char *column = (const char *)sqlite3_column_text(view, i);
        snprintf(type, sizeof type, "%.*s", (int)strcspn(column, ":"), column);
        take(to, sqlite3_column_name(view, i), type, true);
    }
}

static bool definition(void *data, const char *name, take_text_of *take,
                       void *to) {
    struct database *database = data;
    sqlite3_stmt *statement =
        prepare_table(database, database->own_schema, name);
    if (!has_mark(statement, VIEW_MARK) && !has_mark(statement, SYNONYM_MARK)) {
        sqlite3_finalize(statement);
        statement = prepare_public(database, name);
    }
    const bool exists = statement && sqlite3_step(statement) == SQLITE_ROW;
    for (int i = 0; exists && i < sqlite3_column_count(statement); i++) {
        const char *text = (const char *)sqlite3_column_text(statement, i);
        const size_t type = i > 0 ? strcspn(text, ":") + 1 : 0;
        take(to, (unsigned)i, text + type, strlen(text + type));
    }
    // To step, here or in own_table(), has read the schema again.
    if (!exists)
        database->schema_was_old = true;
    sqlite3_finalize(statement);
    return exists;
}

static void take_columns(sqlite3_stmt *statement, bool own,
                         take_column_of *take, void *to) {
    for (int i = 0; i < sqlite3_column_count(statement); i++)
        take(to, sqlite3_column_name(statement, i),
             sqlite3_column_decltype(statement, i), own);
}

// Two tables are in the session's own memory, where database_open() makes them.
static const char *schema_of(const char *table) {
    return strcmp(table, "DUAL") == 0 ||
                   strcmp(table, "NLS_SESSION_PARAMETERS") == 0
               ? "main"
               : "SYS";
}

static enum table_owner table_of_sys(struct database *database,
                                     const char *name, take_column_of *take,
                                     void *to) {
    char room[256];
    const char *base = without_underscore(name, room, sizeof room);
    const struct sys_columns *columns =
        sys_columns_of(database->sys_columns, base);
    if (columns)
        return sys_columns_take(columns, take, to);
    const bool view = dictionary_views_have(base);
    sqlite3_stmt *statement =
        view ? prepare_view(database, base)
             : prepare_table(database, schema_of(base), base);
    if (!statement)
        return NO_TABLE;
    const enum table_owner kind = sys_columns_keep(
        &database->sys_columns, base, view ? DICTIONARY_VIEW : OTHERS_TABLE,
        statement, take, to);
    sqlite3_finalize(statement);
    return kind;
}

// `statement` is a query of it.
static enum table_owner own_table(sqlite3_stmt *statement, take_column_of *take,
                                  void *to) {
    if (has_mark(statement, SYNONYM_MARK))
        return SYNONYM;
    if (has_mark(statement, CLUSTER_MARK))
        return NO_TABLE;
    if (has_mark(statement, VIEW_MARK)) {
        if (sqlite3_step(statement) == SQLITE_ROW)
            catalog_take_types(statement, 1, take, to);
        return USER_VIEW;
    }
    take_columns(statement, true, take, to);
    return OWN_TABLE;
}

static enum table_owner table(void *data, const char *owner, const char *name,
                              take_column_of *take, void *to) {
    struct database *database = data;
    enum table_owner result = NO_TABLE;
    sqlite3_stmt *statement = NULL;
    if (!*owner || strcmp(owner, database->sga->user) == 0)
        statement = prepare_table(database, database->own_schema, name);
    bool is_users = statement && is_own(database, name);
    if (statement && !is_users && see_new_tables(database, name)) {
        sqlite3_finalize(statement);
        statement = prepare_table(database, database->own_schema, name);
        is_users = statement && is_own(database, name);
    }
    if (is_users)
        result = own_table(statement, take, to);
    sqlite3_finalize(statement);
    if (!is_users && may_be_of_sys(owner, name))
        result = table_of_sys(database, name, take, to);
    if (result == NO_TABLE && (!*owner || strcmp(owner, "PUBLIC") == 0)) {
        statement = prepare_public(database, name);
        result = has_mark(statement, SYNONYM_MARK) ? SYNONYM : NO_TABLE;
        sqlite3_finalize(statement);
    }
    return result;
}

uint32_t catalog_object(struct database *database, const char *schema,
                        const char *table) {
    const bool is_own = strcmp(schema, database->sga->user) == 0;
    sqlite3_stmt *statement = catalog_prepare(
        database, sqlite3_mprintf("SELECT rowid FROM \"%w\"."
                                  "sqlite_master WHERE type = 'table' "
                                  "AND name = %Q",
                                  schema, table));
    struct sqlite3 *counted = database->lio.db;
    uint32_t object = 0;
    database->lio.db = NULL; // nor do these gets count
    if (statement && sqlite3_step(statement) == SQLITE_ROW) {
        // As user_objects has it, in dictionary_views.sql.
        const sqlite3_int64 id = sqlite3_column_int64(statement, 0);
        object = (uint32_t)(is_own ? 100000 + id * 1000 : id);
    }
    sqlite3_finalize(statement);
    database->lio.db = counted;
    return object;
}

static uint32_t object(void *data, const char *owner, const char *name) {
    struct database *database = data;
    const char *user = database->sga->user;
    uint32_t number = 0;
    if (!*owner || strcmp(owner, user) == 0)
        number = catalog_object(database, user, name);
    if (number == 0 && may_be_of_sys(owner, name))
        number = catalog_object(database, "SYS", name);
    return number;
}

static bool has_table_in_other_case(void *data, const char *table) {
    struct database *database = data;
    sqlite3_finalize(prepare_table(database, database->own_schema, table));
    const char *name =
        sqlite_table_name(database->db, database->sga->user, table);
    return name && strcmp(name, table) != 0;
}

static bool has_default(void *data, const char *table, const char *column) {
    struct database *database = data;
    struct sqlite3 *counted = database->lio.db;
    sqlite3_stmt *statement = catalog_prepare(
        database,
        sqlite3_mprintf("SELECT 1 FROM %s.sqlite_master m, "
                        "json_each(TABLE_TEXT$(m.sql), '$.columns') c "
                        "WHERE m.type = 'table' AND m.name = %Q "
                        "AND c.value ->> 'name' = %Q "
                        "AND c.value ->> 'default' IS NOT NULL",
                        database->own_schema, table, column));
    database->lio.db = NULL; // as in catalog_object()
    const bool matches = statement && sqlite3_step(statement) == SQLITE_ROW;
    sqlite3_finalize(statement);
    database->lio.db = counted;
    return matches;
}

static bool has_sequence(void *data, const char *name) {
    struct database *database = data;
    struct sequence sequence;
    unsigned place;
    return sequence_find(&database->sga->sequences, name, false, &sequence,
                         &place) == SEQUENCE_DONE;
}

static bool is_cancelled(void *data) {
    return statement_steps_cancelled(data);
}

static unsigned remote(void *data, const char *link, const char *owner,
                       const char *table, char name[REMOTE_NAME],
                       take_column_of *take, void *to) {
    struct database *database = data;
    struct ora_error *error = &database->remote_error;
    return remote_table(database, link, owner, table, name, take, to, error)
               ? 0
               : error->number;
}

static unsigned remote_whole(void *data, const char *link, const char *sql,
                             size_t length, unsigned binds, unsigned *number,
                             take_column_of *take, void *to) {
    struct database *database = data;
    struct ora_error *error = &database->remote_error;
    *number =
        remote_query_table(database, link, sql, length, binds, take, to, error);
    return *number ? 0 : error->number;
}

static bool stored_function(void *data, const char *name,
                            enum operand_type *type) {
    struct database *database = data;
    int is_given;
    if (!database->plsql_calls ||
        !database->plsql_calls->function_type(database, name, &is_given))
        return false;
    *type = (enum operand_type)is_given;
    return true;
}

struct catalog catalog_of(struct database *database) {
    return (struct catalog){.data = database,
                            .table = table,
                            .definition = definition,
                            .object = object,
                            .has_default = has_default,
                            .cluster = clusters_find,
                            .clustered = clusters_tables,
                            .sequence = has_sequence,
                            .differs_in_case = has_table_in_other_case,
                            .remote_table = remote,
                            .remote_query = remote_whole,
                            .stored_function = stored_function,
                            .is_cancelled = is_cancelled};
}
