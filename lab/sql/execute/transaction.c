// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "sql/execute/transaction.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "process/sql_trace.h"
#include "process/transaction_id.h"
#include "sql/execute/database.h"
#include "sql/execute/read_ahead.h"
#include "sql/execute/remote.h"
#include "sql/execute/savepoint.h"
#include "sql/execute/statement_tables.h"

enum {
    // A waiting session checks for a break once per slice.
    SLICE_US = 3000000,
    // The interval at which it tries the lock.
    RETRY_MS = 5,
};

// SQLite's busy handler, called repeatedly while another session's transaction
// is open. Returns whether to wait on.
static int wait_for_lock(void *argument, int tries) {
    struct database *database = argument;
    struct break_channel *channel = database->lio.channel;
    struct wait_clock *clock = &database->self->waits;
    if (database->lock_wait_s == 0)
        return 0;
    if (tries == 0)
        wait_begins(clock, WAIT_ROW_LOCK, 0);
    // The reads of SQLite to try again are no logical I/O of the statement, so
    // a waiting session checks for a break at the end of a slice only.
    database->lio.retries_lock = true;
    database->self->blocker = database->sga->writer;
    bool stop = false;
    if (clock_us() - clock->slice_us >= SLICE_US) {
        wait_times_out(clock);
        stop = nioqts(channel);
    }
    // A signal ends the sleep, and an out-of-band break is a signal.
    if (channel->urgent || channel->client_gone)
        stop = nioqts(channel);
    if (database->lock_wait_s > 0 &&
        clock_us() - clock->began_us >= database->lock_wait_s * 1000000LL)
        return 0;
    if (stop) {
        sqlite3_interrupt(database->db);
        return 0;
    }
    const struct timespec retry = {0, RETRY_MS * 1000000L};
    nanosleep(&retry, NULL);
    return 1;
}

static void wait_is_over(struct database *database) {
    database->lio.retries_lock = false;
    wait_ends(&database->self->waits, 1);
    database->self->blocker = 0;
}

static bool is_fixed(const char *schema) {
    return schema &&
           (strcasecmp(schema, "main") == 0 || strcasecmp(schema, "sys") == 0 ||
            strcasecmp(schema, "temp") == 0);
}

// The user may not change SYS's tables and the fixed tables.
static int authorize(void *argument, int action, const char *first,
                     const char *second, const char *schema,
                     const char *trigger) {
    const struct database *database = argument;
    (void)trigger;
    if (database->noting)
        statement_tables_note(database->noting, database->sga->user, action,
                              first, second, schema);
    if (database->declaring)
        return SQLITE_OK;
    if (database->stepping)
        return SQLITE_DENY;
    // A table that is altered is searched for in the definitions of temporary
    // ones, too; no statement of the user's can name those.
    if (action == SQLITE_UPDATE && first &&
        strncmp(first, "sqlite_temp_", 12) == 0)
        return SQLITE_OK;
    switch (action) {
    case SQLITE_INSERT:
    case SQLITE_UPDATE:
    case SQLITE_DELETE:
    case SQLITE_CREATE_TABLE:
    case SQLITE_CREATE_INDEX:
    case SQLITE_DROP_TABLE:
    case SQLITE_DROP_INDEX:
    case SQLITE_CREATE_VIEW:
    case SQLITE_DROP_VIEW:
        return is_fixed(schema) ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_ALTER_TABLE: // its first name is the schema
        return is_fixed(first) ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_READ:
    case SQLITE_SELECT:
    case SQLITE_FUNCTION:
    case SQLITE_RECURSIVE:
    case SQLITE_TRANSACTION:
    case SQLITE_SAVEPOINT:
    case SQLITE_REINDEX:
        return SQLITE_OK;
    default:
        return SQLITE_DENY;
    }
}

bool transactions_open(struct database *database) {
    return sqlite3_busy_handler(database->db, wait_for_lock, database) ==
               SQLITE_OK &&
           sqlite3_set_authorizer(database->db, authorize, database) ==
               SQLITE_OK;
}

static bool run(struct database *database, const char *sql) {
    return sqlite3_exec(database->db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

// Takes the write lock at once, so that the session waits only here.
bool transaction_begin(struct database *database) {
    if (!sqlite3_get_autocommit(database->db))
        return true;
    result_changes_end(database->sga, database->self, true);
    bool began = run(database, "BEGIN IMMEDIATE");
    wait_is_over(database);
    if (began)
        database->sga->writer = sga_sid(database->sga, database->self);
    transaction_show(database);
    return began && savepoints_begin(database);
}

// The savepoints stay: they were made before the transaction began.
void transaction_release(struct database *database) {
    if (!sqlite3_get_autocommit(database->db) && !run(database, "ROLLBACK"))
        return;
    result_changes_end(database->sga, database->self, true);
    transaction_show(database);
}

static const char COMMIT[] = "COMMIT", ROLLBACK[] = "ROLLBACK";

// No remote row is ever changed, so nothing has to be agreed on: only the
// locks of a remote FOR UPDATE end there.
static bool end_remote(struct database *database, const char *how) {
    struct ora_error *error = &database->remote_error;
    *error = (struct ora_error){0};
    return !database->remote_calls ||
           database->remote_calls->end_transaction(database->remote,
                                                   how == COMMIT, error);
}

bool transaction_is_open(const struct database *database) {
    return !sqlite3_get_autocommit(database->db) || database->has_jobs ||
           (database->remote_calls &&
            database->remote_calls->in_transaction(database->remote));
}

void transaction_show(struct database *database) {
    struct session_slot *self = database->self;
    uint32_t number = 0;
    if (transaction_is_open(database))
        number = self->transaction
                     ? self->transaction
                     : __atomic_add_fetch(&database->sga->transactions, 1,
                                          __ATOMIC_RELAXED);
    if (number && !self->transaction)
        self->transaction_began = time(NULL);
    self->transaction = number;
}

void transaction_error(struct database *database, struct ora_error *error) {
    if (database->remote_error.number)
        *error = database->remote_error;
    else
        ora_error_from_sqlite(error, database->db);
}

static void end_jobs(struct database *database, const char *how) {
    if (database->has_jobs && how == COMMIT)
        jobs_commit(database->sga, database->self);
    else if (database->has_jobs)
        jobs_roll_back(database->sga, database->self, 0);
    database->has_jobs = false;
}

static bool end_here(struct database *database, const char *how) {
    const bool none = sqlite3_get_autocommit(database->db);
    if (!none && how == COMMIT)
        result_changes_commit(database->sga, database->self);
    bool ended = none || run(database, how);
    result_changes_end(database->sga, database->self,
                       sqlite3_get_autocommit(database->db));
    wait_is_over(database);
    if (ended) {
        savepoints_forget(database);
        end_jobs(database, how);
    }
    transaction_show(database);
    if (ended)
        sql_trace_transaction_ends(how == ROLLBACK, none);
    return ended;
}

// Half-fetched queries keep their rows. A query that the client cancels
// during it ends with that error, and the rollback goes on.
static void keep_rows(struct database *database) {
    struct ora_error of_the_query = {0};
    const bool changed = !sqlite3_get_autocommit(database->db);
    while (changed && !read_ahead_all(database, NULL, &of_the_query))
        ;
}

// Whether a link was lost, and with it the remote transaction and its locks. In
// other cases of failure it is still there.
static bool remote_is_lost(const struct database *database) {
    enum { SEVERE = 2068 };
    return database->remote_error.number == SEVERE;
}

// Rows read or locked over a lost link may have changed since.
static void roll_back_for_lost_link(struct database *database) {
    enum { ROLLED_BACK = 2050 };
    struct ora_error *error = &database->remote_error, why = *error;
    const unsigned session = sga_sid(database->sga, database->self) - 1;
    char number[40];
    snprintf(number, sizeof number, "%u.%u.%u", transaction_segment(session),
             transaction_slot(session), database->self->transaction);
    keep_rows(database);
    end_here(database, ROLLBACK);
    ora_error_set(error, ROLLED_BACK, number);
    const size_t length = strlen(error->text);
    snprintf(error->text + length, sizeof error->text - length, "\n%s",
             why.text);
}

bool transaction_commit(struct database *database) {
    database->self->stat[STAT_COMMITS]++;
    if (end_remote(database, COMMIT))
        return end_here(database, COMMIT);
    if (remote_is_lost(database) && !sqlite3_get_autocommit(database->db))
        roll_back_for_lost_link(database);
    transaction_show(database);
    return false;
}

bool transaction_rollback(struct database *database) {
    keep_rows(database);
    database->self->stat[STAT_ROLLBACKS]++;
    if (end_remote(database, ROLLBACK) || remote_is_lost(database))
        return end_here(database, ROLLBACK);
    transaction_show(database);
    return false;
}

void transaction_abandon(struct database *database) {
    const bool none = sqlite3_get_autocommit(database->db);
    sql_trace_transaction_ends(!none, none);
}
