// SPDX-License-Identifier: GPL-2.0-or-later
// A cursor of PL/SQL that is open: its statement, and rows fetched in advance.
#ifndef ORALAB_PLSQL_QUERY_H
#define ORALAB_PLSQL_QUERY_H

#include "plsql/session.h"

struct query_rows { // fetched, row by row
    struct sqlite3_value **value;
    size_t count, room, at; // of values
};

struct plsql_query {
    struct cursor cursor;
    struct plsql_session *session;
    unsigned references;
    bool open, ended;
    bool last_found, fetched_once;
    uint64_t fetched; // %ROWCOUNT
    struct query_rows rows;
    struct embedded *of; // that it goes back to
};

// Parses; the caller has a reference. NULL with `error` set.
struct plsql_query *plsql_query_new(struct plsql_session *session,
                                    const char *sql, size_t length,
                                    struct ora_error *error);
void plsql_query_free(struct plsql_query *query);
// Executes with these values, one level deeper than the present call. `rows`:
// how many a fetch will ask for; 0: it is no query.
bool plsql_query_execute(struct plsql_query *query, const struct scalar *value,
                         unsigned count, uint32_t rows,
                         struct ora_error *error);
// Up to `most` rows into `rows`, which are forgotten first.
bool plsql_query_fetch(struct plsql_query *query, uint64_t most,
                       struct ora_error *error);
// The next row that is there: its values; NULL: none.
struct sqlite3_value **plsql_query_row(struct plsql_query *query);
void plsql_query_close(struct plsql_query *query);

#endif
