// SPDX-License-Identifier: GPL-2.0-or-later
// One database for all inputs: to open it takes longer than most sessions. The
// changes of a session are put back before the next, so that an input does the
// same alone as after others.
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sql/execute/database.h"
#include "sql/execute/pga.h"
#include "sql/execute/plan_statistics.h"
#include "sql/execute/savepoint.h"
#include "sql/types/session_zone.h"
#include "sql/execute/statement_journal.h"
#include "sql/views/sys_columns.h"

bool __real_database_open(struct database *database, struct sga *sga,
                          struct session_slot *self,
                          struct break_channel *channel, char *why,
                          size_t size);
bool __wrap_database_open(struct database *database, struct sga *sga,
                          struct session_slot *self,
                          struct break_channel *channel, char *why,
                          size_t size);
void __wrap_database_close(struct database *database);

// Changeable parts: the fixed tables with the session's parameters, and the
// user's tables.
static struct schema {
    const char *name;
    sqlite3 *copy;    // as it was before the first session
    unsigned version; // of its content; SQLite counts the changes
} schemas[2] = {{.name = "main"}};

static struct database kept;

static void check(bool done, const char *what) {
    if (done)
        return;
    fprintf(stderr, "the kept database: %s: %s\n", what,
            kept.db ? sqlite3_errmsg(kept.db) : "");
    abort();
}

static unsigned version_of(const char *schema) {
    unsigned version = 0;
    check(sqlite3_file_control(kept.db, schema, SQLITE_FCNTL_DATA_VERSION,
                               &version) == SQLITE_OK,
          "no version");
    return version;
}

static bool copy(sqlite3 *to, const char *to_name, sqlite3 *from,
                 const char *from_name) {
    sqlite3_backup *backup = sqlite3_backup_init(to, to_name, from, from_name);
    if (!backup)
        return false;
    sqlite3_backup_step(backup, -1);
    return sqlite3_backup_finish(backup) == SQLITE_OK;
}

static void keep(const struct database *database) {
    kept = *database;
    schemas[1].name = kept.sga->user;
    for (struct schema *each = schemas; each < schemas + 2; each++) {
        check(sqlite3_open(":memory:", &each->copy) == SQLITE_OK &&
                  copy(each->copy, "main", kept.db, each->name),
              "no copy");
        each->version = version_of(each->name);
    }
}

// The callbacks that SQLite knows point into the caller's memory, which must
// lie at the same place each time.
bool __wrap_database_open(struct database *database, struct sga *sga,
                          struct session_slot *self,
                          struct break_channel *channel, char *why,
                          size_t size) {
    if (kept.db) {
        check(kept.self == self && kept.lio.channel == channel, "has moved");
        *database = kept;
        pga_install(sga->pga_limit);
        return true;
    }
    if (!__real_database_open(database, sga, self, channel, why, size))
        return false;
    database->lio.db = NULL; // no session's gets
    keep(database);
    kept.lio.db = database->lio.db = kept.db;
    return true;
}

static void put_back(struct schema *schema) {
    if (version_of(schema->name) == schema->version)
        return;
    check(copy(kept.db, schema->name, schema->copy, "main"), schema->name);
    // So that its pages are in the cache again.
    char *read = sqlite3_mprintf("SELECT count(*) FROM \"%w\".sqlite_master",
                                 schema->name);
    check(read && sqlite3_exec(kept.db, read, NULL, NULL, NULL) == SQLITE_OK,
          "no schema");
    sqlite3_free(read);
    schema->version = version_of(schema->name);
}

void __wrap_database_close(struct database *database) {
    if (!database->db)
        return;
    database->lio.db = NULL;
    savepoints_take_back(database, NULL);
    plan_statistics_free(database);
    sys_columns_free(&database->sys_columns);
    check(!sqlite3_next_stmt(kept.db, NULL), "a statement was left");
    // After one that was cancelled or had no memory.
    pga_begin_call();
    sqlite_forget_interrupt(kept.db);
    if (!sqlite3_get_autocommit(kept.db))
        check(sqlite3_exec(kept.db, "ROLLBACK", NULL, NULL, NULL) == SQLITE_OK,
              "no rollback");
    put_back(&schemas[0]);
    put_back(&schemas[1]);
    // SQLite forgets all schemas where a change of one is undone. To read them
    // makes gets, which must not be the next session's.
    check(sqlite3_exec(kept.db, "SELECT NULL FROM main.sqlite_master LIMIT 0",
                       NULL, NULL, NULL) == SQLITE_OK,
          "no schemas");
    sqlite3_set_last_insert_rowid(kept.db, 0);
    kept.sga->writer = 0;
    if (strcmp(session_zone_name(), "+00:00") != 0)
        check(session_zone_set("+00:00", 6), "no time zone");
    database->db = NULL;
}
