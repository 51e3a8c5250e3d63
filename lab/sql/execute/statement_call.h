// SPDX-License-Identifier: GPL-2.0-or-later
// The calls on a cursor that the time model times and SQL trace writes: parse,
// execute, fetch. One runs at a time on each level: a statement of PL/SQL is
// one level deeper than its block.
#ifndef ORALAB_STATEMENT_CALL_H
#define ORALAB_STATEMENT_CALL_H

#include <stdint.h>

struct cursor;
struct database;
struct ora_error;

enum statement_call_kind { NO_CALL, PARSE_CALL, EXEC_CALL, FETCH_CALL };

struct statement_call {
    enum statement_call_kind kind;
    struct cursor *cursor;
    int64_t began_us; // of clock_us()
    int64_t cpu_us;   // of the process then; -1: the call was not traced then
    // The statistics then: physical reads, consistent gets, block gets.
    uint64_t reads, gets, current_gets;
    unsigned misses; // statements translated
};

// A call that runs already goes on.
void statement_call_begins(struct cursor *cursor,
                           enum statement_call_kind kind);
// The calls to come are parts of the running one, which is returned, until they
// are over and it goes on.
struct statement_call statement_call_deeper(struct database *database);
void statement_call_back(struct database *database,
                         struct statement_call outer);
// The running call is over, if there is one; `rows` is the number of its rows,
// `error` the error that ended it (number 0: none).
void statement_call_ends(struct database *database, uint64_t rows,
                         const struct ora_error *error);

#endif
