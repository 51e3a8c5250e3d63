// SPDX-License-Identifier: GPL-2.0-or-later
// The remote tables and queries that SQLite knows.
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sql/execute/remote_columns.h"
#include "sql/execute/remote_scan.h"
#include "sql/execute/transaction.h"

static void definition_free(void *data) {
    struct remote_definition *of = data;
    if (of->query)
        of->database->remote_calls->close(of->query);
    free(of->column);
    free(of);
}

// Takes over the query, which for a table has only described its columns.
static struct remote_definition *define(struct database *database,
                                        const char *link,
                                        struct remote_query *query) {
    const struct column *column;
    struct remote_definition *of = calloc(1, sizeof *of);
    if (!of)
        return NULL;
    of->database = database;
    of->query = query;
    snprintf(of->link, sizeof of->link, "%s", link);
    of->columns = of->database->remote_calls->columns(query, &column);
    of->column = malloc((of->columns + 1) * sizeof *of->column);
    if (of->column) {
        memcpy(of->column, column, of->columns * sizeof *of->column);
        return of;
    }
    free(of);
    return NULL;
}

static void tell_columns(const struct remote_definition *of,
                         take_column_of *take, void *to) {
    char declared[DECLARED_TYPE];
    for (unsigned i = 0; i < of->columns; i++) {
        remote_column_declare(&of->column[i], declared);
        take(to, of->column[i].name, declared, true);
    }
}

static bool register_module(struct database *database, const char *name,
                            struct remote_definition *of,
                            struct ora_error *error) {
    // It also frees the definition on failure.
    if (sqlite3_create_module_v2(database->db, name, &remote_module, of,
                                 definition_free) == SQLITE_OK)
        return true;
    ora_error_set(error, 4030, "");
    return false;
}

static struct remote_query *parse(struct database *database, const char *link,
                                  const char *sql, size_t length,
                                  unsigned binds, struct ora_error *error) {
    enum { NO_LINK = 2019 };
    if (!database->remote_calls) {
        ora_error_set(error, NO_LINK, "");
        return NULL;
    }
    struct remote_query *query = database->remote_calls->parse(
        database->remote, link, sql, length, binds, error);
    transaction_show(database);
    return query;
}

bool remote_table(struct database *database, const char *link,
                  const char *owner, const char *table, char name[REMOTE_NAME],
                  take_column_of *take, void *to, struct ora_error *error) {
    char *from = *owner ? sqlite3_mprintf("\"%w\".\"%w\"", owner, table)
                        : sqlite3_mprintf("\"%w\"", table);
    char *sql = from ? sqlite3_mprintf("SELECT * FROM %s", from) : NULL;
    struct remote_query *query =
        sql ? parse(database, link, sql, strlen(sql), 0, error) : NULL;
    struct remote_definition *of = query ? define(database, link, query) : NULL;
    snprintf(name, REMOTE_NAME, "%s%s%s@%s", owner, *owner ? "." : "", table,
             link);
    if (query)
        database->remote_calls->close(query);
    if (of) {
        of->query = NULL;
        snprintf(of->from, sizeof of->from, "%s", from);
        tell_columns(of, take, to);
    } else if (!error->number) {
        ora_error_set(error, 4030, "");
    }
    sqlite3_free(sql);
    sqlite3_free(from);
    return of && register_module(database, name, of, error);
}

static void query_name(unsigned number, char name[REMOTE_NAME]) {
    snprintf(name, REMOTE_NAME, "@%u", number);
}

unsigned remote_query_table(struct database *database, const char *link,
                            const char *sql, size_t length, unsigned binds,
                            take_column_of *take, void *to,
                            struct ora_error *error) {
    char name[REMOTE_NAME];
    struct remote_query *query =
        parse(database, link, sql, length, binds, error);
    struct remote_definition *of = query ? define(database, link, query) : NULL;
    if (!of) {
        if (query)
            database->remote_calls->close(query);
        if (!error->number)
            ora_error_set(error, 4030, "");
        return 0;
    }
    of->binds = binds;
    for (unsigned i = 0; i < of->columns; i++)
        if (!remote_column_usable(&of->column[i], error)) {
            definition_free(of);
            return 0;
        }
    tell_columns(of, take, to);
    query_name(++database->remote_queries, name);
    return register_module(database, name, of, error) ? database->remote_queries
                                                      : 0;
}

void remote_query_table_drop(struct database *database, unsigned number) {
    char name[REMOTE_NAME];
    if (number == 0)
        return;
    query_name(number, name);
    sqlite3_create_module_v2(database->db, name, NULL, NULL, NULL);
}
