// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/views/clusters.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "sql/execute/database.h"
#include "sql/execute/statement_journal.h"
#include "sql/types/view_marks.h"
#include "sql/views/catalog.h"

// SQLite compares names without case.
static bool is_spelled(struct database *database, const char *name) {
    char *full_name = sqlite3_mprintf(CLUSTER_NAME "%s", name);
    const char *spelling =
        full_name
            ? sqlite_table_name(database->db, database->sga->user, full_name)
            : NULL;
    const bool equal = spelling && strcmp(spelling, full_name) == 0;
    sqlite3_free(full_name);
    return equal;
}

bool clusters_find(void *data, const char *name, take_column_of *take, void *to,
                   bool *single) {
    struct database *database = data;
    sqlite3_stmt *query = catalog_prepare(
        database, sqlite3_mprintf("SELECT \"" CLUSTER_MARK "\" ->> 'single', * "
                                  "FROM %s.\"" CLUSTER_NAME "%w\"",
                                  database->own_schema, name));
    const bool exists = query && is_spelled(database, name) &&
                        sqlite3_step(query) == SQLITE_ROW;
    if (exists) {
        *single = sqlite3_column_int(query, 0) != 0;
        catalog_take_types(query, 2, take, to);
    }
    sqlite3_finalize(query);
    return exists;
}

void clusters_tables(void *data, take_clustered_of *take, void *to) {
    struct database *database = data;
    struct sqlite3 *counted = database->lio.db;
    sqlite3_stmt *index = catalog_prepare(
        database, sqlite3_mprintf(
                      "SELECT name, tbl_name FROM %s.sqlite_master WHERE type "
                      "= 'index' AND name LIKE '" CLUSTER_INDEX " __ __ %%'",
                      database->own_schema));
    database->lio.db = NULL; // as in catalog_object()
    while (index && sqlite3_step(index) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(index, 0);
        const char *number = name + sizeof CLUSTER_INDEX;
        take(to, number + 6, (unsigned)strtoul(number, NULL, 10),
             (const char *)sqlite3_column_text(index, 1));
    }
    sqlite3_finalize(index);
    database->lio.db = counted;
}
