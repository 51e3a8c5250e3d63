// SPDX-License-Identifier: GPL-2.0-or-later
// A second execution of a change whose keys are checked at its end.
#include <sqlite3.h>

#include "sql/execute/cursor.h"
#include "sql/execute/late_keys.h"
#include "sql/execute/statement_journal.h"
#include "sql/types/ora_error.h"

static bool is_duplicate(const struct cursor *cursor, int rc) {
    const int extended = sqlite3_extended_errcode(cursor->database->db);
    return (rc & 0xff) == SQLITE_CONSTRAINT &&
           (extended == SQLITE_CONSTRAINT_UNIQUE ||
            extended == SQLITE_CONSTRAINT_PRIMARYKEY) &&
           (cursor->kind == STATEMENT_UPDATE ||
            cursor->kind == STATEMENT_MERGE);
}

// SQLITE_DONE if the keys that the statement has written have no duplicates.
static int search(const struct cursor *cursor, char **message) {
    struct database *database = cursor->database;
    int rc = SQLITE_DONE;
    char *query;
    for (unsigned i = 0;
         rc == SQLITE_DONE && (query = sqlite_duplicates_query(
                                   cursor->statement, database->sga->user, i));
         i++) {
        sqlite3_stmt *statement = NULL;
        rc = sqlite3_prepare_v2(database->db, query, -1, &statement, NULL);
        if (rc == SQLITE_OK)
            rc = sqlite3_step(statement);
        if (rc == SQLITE_ROW) {
            *message = sqlite3_mprintf("%s", sqlite3_column_text(statement, 0));
            rc = SQLITE_CONSTRAINT_UNIQUE;
        }
        sqlite3_finalize(statement);
        sqlite3_free(query);
    }
    return rc;
}

static bool run(const struct cursor *cursor, const char *sql) {
    return sqlite3_exec(cursor->database->db, sql, NULL, NULL, NULL) ==
           SQLITE_OK;
}

// Undoing the statement would replace SQLite's error.
static void take_error(const struct cursor *cursor, char **message,
                       struct ora_error *error) {
    sqlite3 *db = cursor->database->db;
    if (*message) {
        ora_error_set(error, 1, "");
        return;
    }
    ora_error_from_sqlite(error, db);
    if ((sqlite3_errcode(db) & 0xff) == SQLITE_CONSTRAINT)
        *message = sqlite3_mprintf("%s", sqlite3_errmsg(db));
}

int late_keys_execute(struct cursor *cursor, int rc,
                      int (*execute)(struct cursor *cursor), char **message,
                      struct ora_error *error) {
    struct sqlite3_stmt *with_keys = cursor->statement, *without = NULL;
    if (!is_duplicate(cursor, rc))
        return rc;
    sqlite3_reset(with_keys);
    if (!run(cursor, "SAVEPOINT \"LATE$KEYS\""))
        return rc;
    rc = sqlite_prepare_without_keys(with_keys, cursor->database->sga->user,
                                     &without);
    if (rc == SQLITE_OK) {
        sqlite_move_binds(with_keys, without);
        cursor->statement = without;
        rc = execute(cursor);
        cursor->statement = with_keys;
        sqlite_move_binds(without, with_keys);
    }
    if (rc == SQLITE_DONE)
        rc = search(cursor, message);
    if (rc != SQLITE_DONE)
        take_error(cursor, message, error);
    sqlite3_finalize(without);
    if (rc != SQLITE_DONE)
        run(cursor, "ROLLBACK TO \"LATE$KEYS\"");
    run(cursor, "RELEASE \"LATE$KEYS\"");
    return rc;
}
