// SPDX-License-Identifier: GPL-2.0-or-later
// The records of SQL trace that are about a cursor. Each function writes
// whatever the level is; the caller consults sql_trace_wants().
#ifndef ORALAB_CALL_TRACE_H
#define ORALAB_CALL_TRACE_H

#include "sql/execute/cursor.h"

// By which records name the cursor: an address, used again once the cursor is
// closed.
uint64_t call_trace_number(const struct cursor *cursor);
// A call that has ended: PARSE with the statement's text, EXEC or FETCH, and
// the error it ended with.
void call_trace_write(const struct statement_call *call,
                      const struct statement_call *end, uint64_t rows,
                      const struct ora_error *error);
// CLOSE, with the cost of closing the cursor.
void call_trace_close(uint64_t number, unsigned depth, int64_t began_us,
                      int64_t began_cpu_us);

#endif
