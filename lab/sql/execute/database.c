// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/execute/database.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "sql/functions/function.h"
#include "sql/execute/pga.h"
#include "sql/execute/plan_display.h"
#include "sql/execute/plan_statistics.h"
#include "sql/execute/savepoint.h"
#include "sql/execute/statement_steps.h"
#include "sql/execute/transaction.h"
#include "sql/views/sys_columns.h"

enum {
    // The last session to leave checkpoints the write-ahead log of the user's
    // tables, with them locked. A new session waits for it this long.
    OTHERS_CLOSE_WITHIN_MS = 60000,
};

// Sorts and temporary tables spill to unnamed files next to the data.
static bool choose_temporary_directory(const struct sga *sga) {
    const char *name = strrchr(sga->users, '/');
    sqlite3_free(sqlite3_temp_directory);
    sqlite3_temp_directory = sqlite3_mprintf(
        "%.*s", name ? (int)(name - sga->users) : 1, name ? sga->users : ".");
    return sqlite3_temp_directory != NULL;
}

// Attaches a data file, with a cache that is big enough to hold all of it, and
// reads its schema, so that no statement's gets include that.
static bool attach(struct database *database, const char *path,
                   const char *owner) {
    char *sql = sqlite3_mprintf("ATTACH %Q AS %Q;"
                                "PRAGMA \"%w\".cache_size=-1000000;"
                                "SELECT count(*) FROM \"%w\".sqlite_master;",
                                path, owner, owner, owner);
    database->lio.opens_data_file = true;
    const int rc =
        sql ? sqlite3_exec(database->db, sql, NULL, NULL, NULL) : SQLITE_NOMEM;
    database->lio.opens_data_file = false;
    sqlite3_free(sql);
    return rc == SQLITE_OK;
}

// The user's tables survive a server's crash, but not the machine's.
static bool attach_own_schema(struct database *database) {
    const char *user = database->sga->user;
    snprintf(database->own_schema, sizeof database->own_schema, "\"%s\"", user);
    if (!attach(database, database->sga->users, user))
        return false;
    char *sql = sqlite3_mprintf("PRAGMA \"%w\".synchronous=OFF", user);
    const int rc =
        sql ? sqlite3_exec(database->db, sql, NULL, NULL, NULL) : SQLITE_NOMEM;
    sqlite3_free(sql);
    return rc == SQLITE_OK;
}

bool database_open(struct database *database, struct sga *sga,
                   struct session_slot *self, struct break_channel *channel,
                   char *why, size_t size) {
    *database = (struct database){
        .sga = sga,
        .self = self,
        .lock_wait_s = -1,
        .lio = {.stat = self->stat, .channel = channel},
    };
    bool succeeded =
        pga_install(sga->pga_limit) && lio_install(&database->lio) &&
        choose_temporary_directory(sga) &&
        sqlite3_open(":memory:", &database->db) == SQLITE_OK &&
        sqlite3_busy_timeout(database->db, OTHERS_CLOSE_WITHIN_MS) ==
            SQLITE_OK &&
        attach(database, sga->dictionary, "SYS") &&
        attach_own_schema(database) &&
        sqlite3_exec(database->db,
                     // The size of the main database's cache is also how much
                     // a sort keeps in memory before it spills.
                     "PRAGMA main.cache_size=-4096;"
                     // SQLite adds no index of its own.
                     "PRAGMA automatic_index=OFF;"
                     "PRAGMA case_sensitive_like=ON;"
                     "CREATE TABLE DUAL(DUMMY VARCHAR2(1));"
                     "INSERT INTO DUAL VALUES('X');"
                     "CREATE TABLE NLS_SESSION_PARAMETERS("
                     "PARAMETER VARCHAR2(128), VALUE VARCHAR2(64));"
                     "INSERT INTO NLS_SESSION_PARAMETERS VALUES"
                     "('NLS_LANGUAGE','AMERICAN'),"
                     "('NLS_TERRITORY','AMERICA'),('NLS_CURRENCY','$'),"
                     "('NLS_ISO_CURRENCY','AMERICA'),"
                     "('NLS_NUMERIC_CHARACTERS','.,'),"
                     "('NLS_CALENDAR','GREGORIAN'),"
                     "('NLS_DATE_FORMAT','DD-MON-RR'),"
                     "('NLS_DATE_LANGUAGE','AMERICAN'),"
                     "('NLS_SORT','BINARY'),('NLS_COMP','BINARY'),"
                     "('NLS_TIMESTAMP_FORMAT','DD-MON-RR HH.MI.SSXFF AM'),"
                     "('NLS_TIMESTAMP_TZ_FORMAT',"
                     "'DD-MON-RR HH.MI.SSXFF AM TZR'),"
                     "('NLS_DUAL_CURRENCY','$'),"
                     "('NLS_LENGTH_SEMANTICS','BYTE'),"
                     "('NLS_NCHAR_CONV_EXCP','FALSE');"
                     // The dictionary's views read tables that SQLite declares
                     // with their first use; the authorizer would refuse it.
                     "SELECT 1 FROM json_each('[]')",
                     NULL, NULL, NULL) == SQLITE_OK &&
        functions_register(database->db, database) &&
        plan_display_register(database) && fixed_tables_register(database) &&
        connect_by_register(database) && transactions_open(database);
    if (!succeeded) {
        snprintf(why, size, "%s",
                 database->db ? sqlite3_errmsg(database->db)
                              : "cannot open SQLite");
        database_close(database);
        return false;
    }
    statement_steps_watch(database);
    last_row_watch(database);
    database->lio.db = database->db;
    return true;
}

void database_close(struct database *database) {
    database->lio.db = NULL;
    sqlite3_close(database->db);
    database->db = NULL;
    savepoints_take_back(database, NULL);
    plan_statistics_free(database);
    sys_columns_free(&database->sys_columns);
}

int database_declare_fixed_table(struct database *database, const char *sql) {
    database->declaring = true;
    int rc = sqlite3_declare_vtab(database->db, sql);
    database->declaring = false;
    return rc;
}
