// SPDX-License-Identifier: GPL-2.0-or-later
// A session's PL/SQL: the units that it has loaded, and the running calls.
#ifndef ORALAB_PLSQL_SESSION_H
#define ORALAB_PLSQL_SESSION_H

#include "plsql/unit.h"

enum { MOST_RECURSION = 2000, MOST_SQL_LEVELS = 50, LONGEST_LINE = 32767 };

struct output_line {
    struct output_line *next;
    size_t length;
    char text[];
};

// DBMS_OUTPUT's buffer.
struct output {
    bool enabled;
    struct output_line *first, *last;
    char *line; // that PUT has begun; from malloc
    size_t length;
    size_t bytes, limit;
};

// The exception that was raised, while it looks for its handler, or has one.
struct raised {
    const struct exception *exception; // NULL: that of `error`
    struct ora_error error;
    bool placed; // the line of this level is in the text
};

// An iteration of FORALL that failed.
struct bulk_error {
    int64_t iteration; // from 1
    unsigned number;   // ORA-
};

struct plsql_session {
    struct database *database;
    struct unit *units;   // that are stored, and loaded
    unsigned generation;  // of them: older blocks are compiled again
    uint64_t definitions; // result_cache.definitions when they were checked
    struct statement_call fetching; // that an execution has begun
    struct raised raised;
    const struct raised *handled; // by the handler that runs, or NULL
    const struct plsql *leaving;  // the loop that EXIT or CONTINUE is about
    unsigned depth;               // of the interpreter
    unsigned sql_levels;          // of functions that SQL calls
    unsigned blocks;              // that run in each other
    struct value *bind;           // per placeholder
    struct plsql_query **result;  // that RETURN_RESULT has returned
    unsigned results;
    int64_t sql_rows;    // SQL%ROWCOUNT; -1: no statement yet
    uint64_t *bulk_rows; // of FORALL, from malloc
    size_t bulk_count;
    int64_t bulk_low;              // the index of the first
    struct bulk_error *bulk_error; // SQL%BULK_EXCEPTIONS, from malloc
    size_t bulk_errors;
    struct output output;
    uint64_t random[4];
    bool random_seeded;
    struct sqlite3_stmt *convert; // SELECT ASSIGN$(?1,?2,'X')
    struct sqlite3_stmt *box;     // SELECT ?1
};

// compile.c: compiles the statement in `unit`. `cursor`: the block's, or NULL.
bool unit_compile(struct unit *unit, struct cursor *cursor,
                  struct ora_error *error);
struct unit *unit_new(struct plsql_session *session, const char *text,
                      size_t length);
void unit_free(struct unit *unit);
// stored.c: the unit of that name and kind (of unit_tree), loaded and compiled;
// NULL: there is none, or it has an error.
struct unit *unit_stored(struct plsql_session *session, const char *name,
                         int kind, struct ora_error *error);
// Loads the body of a package; NULL: it has none, or an error.
struct unit *unit_body(struct unit *specification, struct ora_error *error);
// Forgets them all if one is not stored as it was loaded.
void units_refresh(struct plsql_session *session);
void units_forget(struct plsql_session *session);
// supplied_jobs.c: forgets the jobs that were submitted since that one.
void jobs_undo(struct plsql_session *session, uint32_t since);
bool unit_define(struct cursor *cursor, struct ora_error *error);

#endif
