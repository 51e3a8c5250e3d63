// SPDX-License-Identifier: GPL-2.0-or-later
// One session's database: an in-memory main database with the fixed tables, and
// the data files, attached under their owners' names.
//
// A statement that reads only fixed tables makes no gets and no break checks,
// so the counters it reads are exact. See database.c for the one exception.
#ifndef ORALAB_DATABASE_H
#define ORALAB_DATABASE_H

#include <stdbool.h>
#include <stddef.h>

#include "process/sga.h"
#include "sql/execute/cached_result_settings.h"
#include "sql/execute/last_row.h"
#include "sql/execute/lio.h"
#include "sql/execute/statement_call.h"
#include "sql/execute/statement_steps.h"
#include "sql/types/ora_error.h"

struct sqlite3;
struct cursor;
struct remote;
struct remote_calls;
struct plan_statistics;
struct savepoints;
struct statement_tables;
struct statements_read;

struct plsql_session;
struct sqlite3_context;
struct sqlite3_value;

// PL/SQL, as statements see it. The functions are those of plsql/, which this
// folder does not know. Each returns false with `error` set.
struct plsql_calls {
    // Compiles the block that the cursor was parsed as.
    bool (*compile)(struct cursor *cursor, struct ora_error *error);
    bool (*execute)(struct cursor *cursor, struct ora_error *error);
    // Frees the result of compile().
    void (*release)(struct cursor *cursor);
    // CREATE and DROP of a procedure, function or package.
    bool (*define)(struct cursor *cursor, struct ora_error *error);
    // The type (enum operand_type) of a function's result; false: there is none
    // of that name.
    bool (*function_type)(struct database *database, const char *name,
                          int *type);
    // Calls the function that the first argument names with the others.
    void (*call_function)(struct sqlite3_context *context,
                          struct database *database, int n,
                          struct sqlite3_value **value);
};

struct database {
    struct sqlite3 *db;
    struct sga *sga;
    struct session_slot *self;
    struct lio lio;
    struct statement_steps steps;
    struct cursor *cursors; // open cursors, linked by `next`
    struct last_row last_row;
    struct savepoints *savepoints; // see savepoint.h
    struct sys_columns *sys_columns;
    bool has_jobs;   // that the transaction has made or removed
    int lock_wait_s; // longest wait for a lock in seconds; -1: without limit
    bool declaring;  // a fixed table is declaring its columns to SQLite
    bool stepping;   // no statement may be prepared now
    bool schema_was_old;             // a view that was parsed for is gone
    struct statement_tables *noting; // of the statement being prepared, or NULL
    struct cached_result_settings cached_results;
    bool gathers; // STATISTICS_LEVEL is ALL; see plan_statistics.h
    struct plan_statistics *plans;
    // Of the statement that the client executes, and of the one before it.
    char this_sql_id[14], last_sql_id[14];
    // result_changes_now() when the snapshot began that statements read
    uint64_t snapshot;
    struct statements_read *reading; // by the function that runs, or NULL
    unsigned misses;                 // statements translated so far
    struct statement_call call;      // that runs
    uint64_t inner_us;               // that calls below another one have taken
    unsigned depth; // of the calls around it; see statement_call.h
    const struct plsql_calls *plsql_calls; // NULL: the session has no PL/SQL
    struct plsql_session *plsql;
    bool fetch_follows;            // the client's call also wants rows
    char own_schema[SGA_NAME + 2]; // the user's schema, quoted
    // See remote.h. NULL: the session can reach no remote database.
    const struct remote_calls *remote_calls;
    struct remote *remote;
    struct ora_error remote_error; // that a translation ended with
    unsigned remote_queries;       // that have been tables
    bool remote_rows;              // have come in the client's call
    uint32_t rows_wanted; // by the client's call; 0: it names no number
    // The step of a whole remote query when SQLite begins to run it.
    enum remote_step {
        REMOTE_WITH_ROWS, // is executed, and its first rows are fetched
        REMOTE_ALONE,     // is executed; becomes REMOTE_EXECUTED
        REMOTE_EXECUTED,  // was executed, and its first rows are fetched
    } remote_step;
};

// `database` must live as long as the process. False with one line in `why`.
bool database_open(struct database *database, struct sga *sga,
                   struct session_slot *self, struct break_channel *channel,
                   char *why, size_t size);
void database_close(struct database *database);

// For the fixed tables: sqlite3_declare_vtab(), which the authorizer would
// otherwise take for a change of the main database.
int database_declare_fixed_table(struct database *database, const char *sql);

// fixed_table.c, connect_by.c
bool fixed_tables_register(struct database *database);
bool connect_by_register(struct database *database);

#endif
