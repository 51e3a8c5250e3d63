// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/database.h"

#include <sqlite3.h>
#include <stdio.h>

#include "sql/dictionary_views.h"
#include "sql/functions.h"
#include "sql/transaction.h"

enum {
    // A statement that reads no data file makes no break checks of its own.
    // Should one run long, it makes one per this many steps of its program.
    STEPS_WITHOUT_A_GET = 1000000,
    // The last session to leave puts the write-ahead log back into the user's
    // tables, with them locked. Whoever comes meanwhile waits for it.
    OTHERS_CLOSE_WITHIN_MS = 60000,
};

static int no_get_for_long(void *argument) {
    struct database *database = argument;
    static uint64_t gets_before;
    const uint64_t *stat = database->self->stat;
    uint64_t gets = stat[STAT_CONSISTENT_GETS] + stat[STAT_DB_BLOCK_GETS];
    bool idle = gets == gets_before;
    gets_before = gets;
    if (!idle || !nioqts(database->lio.channel))
        return false;
    if (database->lio.undoable) // it ends with its next get
        lio_stop(&database->lio);
    return !database->lio.undoable;
}

static bool functions_register(sqlite3 *db) {
    return arithmetic_register(db) && number_functions_register(db) &&
           text_functions_register(db) && date_functions_register(db) &&
           conversions_register(db) && comparisons_register(db) &&
           aggregates_register(db) && assignments_register(db) &&
           rownum_register(db);
}

static bool attach(sqlite3 *db, const char *path, const char *owner) {
    char *sql = sqlite3_mprintf("ATTACH %Q AS %Q", path, owner);
    int rc = sql ? sqlite3_exec(db, sql, NULL, NULL, NULL) : SQLITE_NOMEM;
    sqlite3_free(sql);
    return rc == SQLITE_OK;
}

// The user's tables outlive no crash of the machine, only of a server.
static bool open_own_schema(struct database *database) {
    snprintf(database->own_schema, sizeof database->own_schema, "\"%s\"",
             database->sga->user);
    char *sql = sqlite3_mprintf("PRAGMA %s.cache_size=-1000000;"
                                "PRAGMA %s.synchronous=OFF;"
                                "SELECT count(*) FROM %s.sqlite_master",
                                database->own_schema, database->own_schema,
                                database->own_schema);
    int rc =
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
    bool done =
        lio_install(&database->lio) &&
        sqlite3_open(":memory:", &database->db) == SQLITE_OK &&
        sqlite3_busy_timeout(database->db, OTHERS_CLOSE_WITHIN_MS) ==
            SQLITE_OK &&
        attach(database->db, sga->dictionary, "SYS") &&
        attach(database->db, sga->users, sga->user) &&
        open_own_schema(database) &&
        sqlite3_exec(database->db,
                     // Big enough that everything stays in the cache;
                     // no index that the statement did not ask for.
                     "PRAGMA sys.cache_size=-1000000;"
                     "PRAGMA automatic_index=OFF;"
                     "PRAGMA case_sensitive_like=ON;"
                     // The schema is read now, so that no statement's
                     // gets include it.
                     "SELECT count(*) FROM sys.sqlite_master;"
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
                     "('NLS_NCHAR_CONV_EXCP','FALSE');",
                     NULL, NULL, NULL) == SQLITE_OK &&
        functions_register(database->db) &&
        session_functions_register(database) &&
        dictionary_views_create(database) && fixed_tables_register(database) &&
        connect_by_register(database) && transactions_open(database);
    if (!done) {
        snprintf(why, size, "%s",
                 database->db ? sqlite3_errmsg(database->db)
                              : "cannot open SQLite");
        database_close(database);
        return false;
    }
    sqlite3_progress_handler(database->db, STEPS_WITHOUT_A_GET, no_get_for_long,
                             database);
    database->lio.db = database->db;
    return true;
}

void database_close(struct database *database) {
    database->lio.db = NULL;
    sqlite3_close(database->db);
    database->db = NULL;
}

int declare_fixed(struct database *database, const char *sql) {
    database->declaring = true;
    int rc = sqlite3_declare_vtab(database->db, sql);
    database->declaring = false;
    return rc;
}
