// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/execute/annotated_tables.h"

#include <sqlite3.h>
#include <string.h>

#include "sql/execute/database.h"
#include "sql/execute/statement_tables.h"

// Of the tables of these names, how many have the mode. -1: an error.
static int count(struct database *database,
                 const struct statement_tables *tables) {
    const size_t owner = strlen(database->sga->user) + 1;
    sqlite3_stmt *statement = NULL;
    int level = -1;
    sqlite3_str *sql = sqlite3_str_new(NULL);
    sqlite3_str_appendf(sql,
                        "SELECT count(*) FROM %s.sqlite_master WHERE type = "
                        "'table' AND ANNOTATION$(sql) = 'FORCE' AND name IN (",
                        database->own_schema);
    for (unsigned i = 0; i < tables->reads; i++)
        sqlite3_str_appendf(sql, "%s%Q", i > 0 ? "," : "",
                            tables->read[i].name + owner);
    sqlite3_str_appendall(sql, ")");
    char *text = sqlite3_str_finish(sql);
    if (text &&
        sqlite3_prepare_v2(database->db, text, -1, &statement, NULL) ==
            SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        level = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_free(text);
    return level;
}

bool annotated_tables_are_all(struct database *database,
                              const struct statement_tables *tables) {
    if (!database->sga->result_cache.annotated || tables->reads == 0 ||
        tables->others)
        return false;
    struct sqlite3 *counted = database->lio.db;
    database->lio.db = NULL; // as in sql/views/catalog.c
    const bool all = count(database, tables) == (int)tables->reads;
    database->lio.db = counted;
    return all;
}

void annotated_tables_may_change(struct database *database, bool may) {
    sqlite3_db_config(database->db, SQLITE_DBCONFIG_WRITABLE_SCHEMA, may, NULL);
}
