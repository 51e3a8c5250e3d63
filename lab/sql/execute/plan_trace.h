// SPDX-License-Identifier: GPL-2.0-or-later
// A statement's plan in SQL trace: its hash and the STAT lines.
#ifndef ORALAB_PLAN_TRACE_H
#define ORALAB_PLAN_TRACE_H

#include "sql/execute/cursor.h"

// The plan hash value; 0 where there is no plan.
uint32_t plan_trace_hash(struct cursor *cursor);
// After EXEC or FETCH: adds up the costs of the execution, and writes the STAT
// lines once it is over, as far as the level wants them.
void plan_trace_after_call(struct cursor *cursor,
                           const struct statement_call *call,
                           const struct statement_call *end, uint64_t rows);
// The lines of an execution that was not fetched to its end: before CLOSE, and
// before another one begins to count.
void plan_trace_end(struct cursor *cursor);
void plan_trace_forget(struct cursor *cursor);

#endif
