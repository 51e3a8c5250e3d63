// SPDX-License-Identifier: GPL-2.0-or-later
// Execution of a cursor's statement.
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "sql/execute/alter_session.h"
#include "sql/execute/annotated_tables.h"
#include "sql/execute/cached_result.h"
#include "sql/execute/constraint_names.h"
#include "sql/execute/cursor_parts.h"
#include "sql/execute/late_keys.h"
#include "sql/execute/link_ddl.h"
#include "sql/execute/pga.h"
#include "sql/execute/plan_statistics.h"
#include "sql/execute/read_ahead.h"
#include "sql/execute/sequence_ddl.h"
#include "sql/execute/savepoint.h"
#include "sql/execute/statement_journal.h"
#include "sql/execute/statement_steps.h"
#include "sql/execute/transaction.h"
#include "sql/functions/function.h"

// Named as Oracle's fetch function. SQLite must not re-prepare the statement by
// itself when a table has changed: the translation may mean something else now.
// The authorizer refuses it, which shows here as SQLITE_AUTH.
__attribute__((noinline)) int opifch2(struct cursor *cursor) {
    struct database *database = cursor->database;
    const bool awaits_rows = cursor->awaits_rows;
    cursor->awaits_rows = false;
    if (awaits_rows)
        database->remote_step = REMOTE_EXECUTED;
    database->stepping = cursor->stepping = true;
    const int rc = sqlite3_step(cursor->statement);
    database->stepping = cursor->stepping = false;
    if (awaits_rows)
        database->remote_step = REMOTE_WITH_ROWS;
    return rc == SQLITE_AUTH ? SQLITE_SCHEMA : rc;
}

// A row, which only RETURNING gives. False without memory.
static bool keep_returned(struct cursor *cursor) {
    return !cursor_returns(cursor) ||
           returned_rows_take(&cursor->returned, cursor->statement);
}

// Named as Oracle's function that executes anything but a query.
__attribute__((noinline)) static int opiexe(struct cursor *cursor) {
    int rc;
    returned_rows_forget(&cursor->returned);
    do {
        rc = cursor->kind == STATEMENT_DDL
                 ? sqlite3_step(cursor->statement)
                 : sqlite_step_undoably(cursor->statement);
        if (rc == SQLITE_ROW && !keep_returned(cursor))
            sqlite_fail_statement(cursor->database->db);
    } while (rc == SQLITE_ROW);
    return rc;
}

// Whether to run the statement again because tables have changed and it was
// parsed again: another table may have the name, or columns other types.
static bool once_more(struct cursor *cursor, int rc, int *times,
                      struct ora_error *error) {
    enum { MOST_TIMES = 50 };
    return rc == SQLITE_SCHEMA && (*times)++ < MOST_TIMES &&
           cursor_parse_again(cursor, error);
}

void cursor_count_sorts(struct cursor *cursor) {
    cursor->database->self->stat[STAT_SORTS] += (uint64_t)sqlite3_stmt_status(
        cursor->statement, SQLITE_STMTSTATUS_SORT, true);
}

bool cursor_advance(struct cursor *cursor, struct ora_error *error) {
    if (cursor->row_ready || cursor->at_end)
        return true;
    if (cursor->ahead)
        return read_ahead_advance(cursor, error);
    int rc, times = 0;
    do
        rc = opifch2(cursor);
    while (once_more(cursor, rc, &times, error));
    cursor->row_ready = rc == SQLITE_ROW;
    cursor->at_end = rc != SQLITE_ROW;
    if (rc == SQLITE_ROW)
        return true;
    if (rc != SQLITE_DONE && !error->number)
        ora_error_from_sqlite(error, cursor->database->db);
    if (!cursor->statement)
        return false;
    cursor_count_sorts(cursor);
    sqlite3_reset(cursor->statement);
    cursor->executed = rc == SQLITE_DONE;
    return rc == SQLITE_DONE;
}

// CREATE TABLE AS: creates and fills the table, or does neither. CREATE OR
// REPLACE: drops and creates.
static int create_and_fill(struct cursor *cursor) {
    sqlite3 *db = cursor->database->db;
    int rc = sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    if (rc != SQLITE_OK)
        return rc;
    rc = sqlite3_step(cursor->statement);
    sqlite3_reset(cursor->statement);
    if (rc == SQLITE_DONE)
        rc = sqlite3_exec(db, cursor->fill, NULL, NULL, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
    return rc == SQLITE_OK ? SQLITE_DONE : rc;
}

// DML opens a transaction. DDL commits the open one first and runs in one of
// its own.
static bool run(struct cursor *cursor, struct ora_error *error) {
    struct database *database = cursor->database;
    sqlite3 *db = database->db;
    const bool begins =
        cursor->kind != STATEMENT_DDL && sqlite3_get_autocommit(db);
    const int64_t changes = sqlite3_total_changes64(db);
    if (!(cursor->kind == STATEMENT_DDL ? transaction_commit(database)
                                        : transaction_begin(database))) {
        if (cursor->kind == STATEMENT_DDL)
            transaction_error(database, error);
        else
            ora_error_from_sqlite(error, db);
        return false;
    }
    if (cursor->kind == STATEMENT_DDL) {
        if (cursor->forces)
            __atomic_store_n(&database->sga->result_cache.annotated, true,
                             __ATOMIC_SEQ_CST);
        result_changes_add_all(database->sga, database->self);
        result_changes_commit(database->sga, database->self);
    } else if (cursor->tables.changes) {
        result_changes_add(database->sga, database->self,
                           &cursor->tables.changed);
    }
    database->lio.current_mode = true;
    database->lio.cancelled = false;
    database->lio.undoable = cursor->kind != STATEMENT_DDL;
    last_row_forget(database);
    int rc, times = 0;
    char *message = NULL;
    annotated_tables_may_change(database, cursor->annotates);
    do
        rc = cursor->fill ? create_and_fill(cursor) : opiexe(cursor);
    while (once_more(cursor, rc, &times, error));
    rc = late_keys_execute(cursor, rc, opiexe, &message, error);
    annotated_tables_may_change(database, false);
    database->lio.current_mode = database->lio.undoable = false;
    if (rc == SQLITE_DONE && cursor->kind != STATEMENT_DDL) {
        cursor->rows = (uint64_t)sqlite3_changes64(db);
        last_row_keep(cursor);
    } else if (rc != SQLITE_DONE && database->lio.cancelled)
        ora_error_set(error, 1013, "");
    else if (rc != SQLITE_DONE && !error->number)
        ora_error_from_sqlite(error, db);
    if (rc != SQLITE_DONE && !message &&
        (sqlite3_errcode(db) & 0xff) == SQLITE_CONSTRAINT)
        message = sqlite3_mprintf("%s", sqlite3_errmsg(db));
    sqlite3_reset(cursor->statement);
    if (message)
        constraint_names_tell(cursor, message, error);
    sqlite3_free(message);
    if (rc != SQLITE_DONE && cursor->fill && !sqlite3_get_autocommit(db))
        sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    if (cursor->kind == STATEMENT_DDL)
        result_changes_end(database->sga, database->self, true);
    if (begins && sqlite3_total_changes64(db) == changes)
        transaction_release(database);
    cursor->at_end = true;
    return rc == SQLITE_DONE;
}

// The beginning of the statement's text, in whole characters.
static void show_text(struct session_slot *self, const struct cursor *cursor) {
    size_t length = cursor->sql_length;
    if (length > sizeof self->sql_text - 1) {
        length = sizeof self->sql_text - 1;
        while (length > 0 && (cursor->sql[length] & 0xc0) == 0x80)
            length--;
    }
    for (size_t i = 0; i < length; i++)
        self->sql_text[i] =
            strchr("\r\n\t", cursor->sql[i]) ? ' ' : cursor->sql[i];
    self->sql_text[length] = '\0';
}

// Publishes the statement in v$session and v$sql.
static void show(const struct cursor *cursor) {
    struct database *database = cursor->database;
    struct session_slot *self = database->self;
    if (database->depth == 0) {
        memcpy(database->last_sql_id, database->this_sql_id,
               sizeof database->last_sql_id);
        memcpy(database->this_sql_id, cursor->sql_id,
               sizeof database->this_sql_id);
    }
    if (memcmp(self->sql_id, cursor->sql_id, sizeof self->sql_id) != 0)
        show_text(self, cursor);
    memcpy(self->previous_sql_id, self->sql_id, sizeof self->sql_id);
    memcpy(self->sql_id, cursor->sql_id, sizeof self->sql_id);
    self->previous_sql_hash = self->sql_hash;
    self->sql_hash = cursor->sql_hash;
    self->command = cursor->command;
}

enum { NOWAIT = 54, WAIT_EXPIRED = 30006 };

static bool lock(struct cursor *cursor, struct ora_error *error) {
    struct database *database = cursor->database;
    database->lock_wait_s = cursor->lock_wait;
    const bool began = transaction_begin(database);
    database->lock_wait_s = -1;
    if (began)
        return true;
    if (sqlite3_errcode(database->db) == SQLITE_BUSY)
        ora_error_set(error, cursor->lock_wait == 0 ? NOWAIT : WAIT_EXPIRED,
                      "");
    else
        ora_error_from_sqlite(error, database->db);
    return false;
}

// After lock() has failed: SKIP LOCKED has no rows then.
static bool skip_locked(struct cursor *cursor, struct ora_error *error) {
    if (!cursor->skips_locked || error->number != NOWAIT)
        return false;
    *error = (struct ora_error){0};
    cursor->at_end = true;
    return cursor->described || cursor_settle_types(cursor, error);
}

// Statements that need no SQLite.
static bool run_alone(struct cursor *cursor, struct ora_error *error) {
    cursor->at_end = true;
    if (cursor->kind == STATEMENT_SESSION)
        return alter_session_execute(cursor->database, cursor->sql,
                                     cursor->sql_length, error);
    if (cursor->kind == STATEMENT_SAVEPOINT)
        return savepoint_make(cursor->database, cursor->savepoint, error);
    if (cursor->kind == STATEMENT_ROLLBACK_TO)
        return savepoint_roll_back(cursor->database, cursor->savepoint, error);
    if (cursor->kind == STATEMENT_LOCK)
        return lock(cursor, error);
    if (cursor->kind == STATEMENT_CREATE_SEQUENCE ||
        cursor->kind == STATEMENT_DROP_SEQUENCE)
        return sequence_change(cursor, error);
    if (cursor->kind == STATEMENT_UNIT && cursor->database->plsql_calls)
        return cursor->database->plsql_calls->define(cursor, error);
    if (cursor->kind == STATEMENT_LINK && transaction_commit(cursor->database))
        return link_change_execute(cursor->database, cursor->link, error);
    bool succeeded = cursor->kind == STATEMENT_COMMIT
                         ? transaction_commit(cursor->database)
                     : cursor->kind == STATEMENT_ROLLBACK
                         ? transaction_rollback(cursor->database)
                         : cursor->kind != STATEMENT_LINK;
    if (!succeeded)
        transaction_error(cursor->database, error);
    return succeeded;
}

// Whether the query is executed at the other end of a link as a whole, and its
// rows come with a later call, which names their number.
static bool opens_remotely(const struct cursor *cursor) {
    return cursor->remote_query && !cursor->database->fetch_follows &&
           (cursor->described || cursor_types_are_known(cursor));
}

static bool open_remotely(struct cursor *cursor, struct ora_error *error) {
    enum remote_step *step = &cursor->database->remote_step;
    int rc, times = 0;
    bool opened;
    do {
        *step = REMOTE_ALONE;
        rc = opifch2(cursor);
        opened = *step == REMOTE_EXECUTED;
        *step = REMOTE_WITH_ROWS;
    } while (!opened && once_more(cursor, rc, &times, error));
    if (!opened && !error->number)
        ora_error_from_sqlite(error, cursor->database->db);
    if (!cursor->statement)
        return false;
    sqlite3_reset(cursor->statement);
    cursor->awaits_rows = opened;
    return opened && (cursor->described || cursor_settle_types(cursor, error));
}

// Up to its first row.
static bool run_query(struct cursor *cursor, struct ora_error *error) {
    const struct result_cache *cache = &cursor->database->sga->result_cache;
    struct cached_result result;
    // Its tables may have got another definition, or an annotation.
    if (cached_result_is_possible(cursor) &&
        cursor->definitions !=
            __atomic_load_n(&cache->definitions, __ATOMIC_SEQ_CST) &&
        !cursor_parse_again(cursor, error))
        return false;
    const bool uses_cache = cached_result_is_wanted(cursor);
    if (!uses_cache && opens_remotely(cursor))
        return open_remotely(cursor, error);
    const bool is_cached = uses_cache && cached_result_find(cursor, &result);
    if (!cursor_advance(cursor, error) ||
        (!cursor->described && !cursor_settle_types(cursor, error)))
        return false;
    return !uses_cache || is_cached ||
           cached_result_keep(cursor, &result, error);
}

// A statement inside of another one that runs reads the other's snapshot.
static void note_snapshot(const struct cursor *cursor) {
    struct database *database = cursor->database;
    if (sqlite3_txn_state(database->db, database->sga->user) == SQLITE_TXN_NONE)
        database->snapshot = result_changes_now(database->sga);
    if (database->reading)
        statements_read_add(database->reading, &cursor->tables,
                            database->snapshot);
}

static bool execute(struct cursor *cursor, struct ora_error *error) {
    struct database *database = cursor->database;
    const bool change = cursor->kind == STATEMENT_DDL && cursor->executed;
    if ((change || !cursor->parsed || plan_statistics_is_other(cursor)) &&
        !cursor_parse_again(cursor, error))
        return false;
    if (!cursor->statement)
        return run_alone(cursor, error);
    sqlite3_reset(cursor->statement);
    // Ends the other queries' snapshots: even a half-fetched query of SYS's
    // tables keeps SQLite from releasing the snapshot of the user's.
    if (sqlite_statement_uses_schema(cursor->statement, database->sga->user) &&
        !read_ahead_all(database, cursor, error))
        return false;
    if (cursor->kind == STATEMENT_BLOCK)
        return database->plsql_calls->execute(cursor, error);
    note_snapshot(cursor);
    if (cursor->kind != STATEMENT_QUERY)
        return run(cursor, error);
    const bool begins = cursor->locks && sqlite3_get_autocommit(database->db);
    if (cursor->locks && !lock(cursor, error))
        return skip_locked(cursor, error);
    if (cursor->kind == STATEMENT_QUERY && cursor->database->fetch_follows) {
        statement_call_ends(cursor->database, 0, error);
        statement_call_begins(cursor, FETCH_CALL);
    }
    const bool succeeded = run_query(cursor, error);
    if (begins && (!succeeded || cursor->at_end)) // no row is locked
        transaction_release(database);
    return succeeded;
}

bool cursor_describe(struct cursor *cursor, struct ora_error *error) {
    if (cursor->kind != STATEMENT_QUERY || cursor->described)
        return true;
    if (cursor->locks || cursor_types_are_known(cursor))
        return cursor_settle_types(cursor, error);
    const bool succeeded = cursor_execute(cursor, error);
    cursor_cancel(cursor);
    return succeeded;
}

bool cursor_execute(struct cursor *cursor, struct ora_error *error) {
    statement_call_begins(cursor, EXEC_CALL);
    cursor->rows = 0;
    cursor->last = (struct rowid){0};
    cursor->row_ready = cursor->at_end = cursor->awaits_rows = false;
    read_ahead_forget(cursor);
    show(cursor);
    date_functions_begin_statement();
    sequence_functions_begin_statement();
    pga_begin_call();
    if (cursor->database->depth == 0) // else it is part of a block's
        statement_steps_begin_call(cursor->database);
    bool succeeded = execute(cursor, error);
    cursor->executed = succeeded;
    return succeeded;
}
