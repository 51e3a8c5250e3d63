// SPDX-License-Identifier: GPL-2.0-or-later
// Functions with RESULT_CACHE: the server result cache keeps their results for
// these arguments, until a commit changes a table that they have read.
//
// Oracle's PL/SQL Language Reference, "PL/SQL Function Result Cache": the
// tables are found while the function runs; an exception is no result; a
// session that has changed one of the tables neither takes nor gives results
// until it commits.
#ifndef ORALAB_FUNCTION_RESULT_H
#define ORALAB_FUNCTION_RESULT_H

#include "plsql/compile.h"
#include "plsql/run.h"

// Runs the function whose parameters are in the frame, or finds its kept
// result: frame->result. False after raising.
bool function_result_run(struct plsql_session *p, struct frame *frame);
// Refuses uses of RESULT_CACHE that are not supported.
void function_result_check(struct compiler *c, const struct routine *routine);

#endif
