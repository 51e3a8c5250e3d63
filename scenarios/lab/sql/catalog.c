// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/catalog.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "sql/database.h"

// Its rows are not read. For a table that there is not, SQLite looks whether
// the schema has changed, at the first page of each file: no get of the
// statement's, which may be one that reads the count of gets.
static sqlite3_stmt *prepare(struct database *database, const char *owner,
                             const char *table) {
    struct sqlite3 *counted = database->lio.db;
    sqlite3_stmt *statement = NULL;
    char *sql = owner ? sqlite3_mprintf("SELECT * FROM %s.\"%w\"", owner, table)
                      : sqlite3_mprintf("SELECT * FROM \"%w\"", table);

    database->lio.db = NULL;
    if (sql)
        sqlite3_prepare_v2(database->db, sql, -1, &statement, NULL);
    database->lio.db = counted;
    sqlite3_free(sql);
    return statement;
}

// V_$SESSION is what SYS calls the view V$SESSION.
static const char *without_underscore(const char *table, char *room,
                                      size_t size) {
    const char *v = table + (table[0] == 'G');
    if (strncmp(v, "V_$", 3) != 0)
        return table;
    snprintf(room, size, "%s%s", table[0] == 'G' ? "GV" : "V", v + 2);
    return room;
}

static bool table(void *data, const char *owner, const char *name,
                  void (*take)(void *to, const char *column,
                               const char *declared, bool own),
                  void *to) {
    struct database *database = data;
    char room[256];
    const char *user = database->own_schema + 1; // it begins with a quote
    const size_t length = strlen(user) - 1;
    const bool may_be_own = !*owner || (strlen(owner) == length &&
                                        strncmp(owner, user, length) == 0);
    const bool may_be_other = !*owner || strcmp(owner, "SYS") == 0;
    bool own = may_be_own;
    sqlite3_stmt *statement =
        may_be_own ? prepare(database, database->own_schema, name) : NULL;
    if (!statement && may_be_other) {
        own = false;
        statement = prepare(database, NULL,
                            without_underscore(name, room, sizeof room));
    }
    if (!statement)
        return false;
    for (int i = 0; i < sqlite3_column_count(statement); i++) {
        const char *declared = sqlite3_column_decltype(statement, i);
        take(to, sqlite3_column_name(statement, i), declared, own);
    }
    sqlite3_finalize(statement);
    return true;
}

struct catalog catalog_of(struct database *database) {
    return (struct catalog){.data = database, .table = table};
}
