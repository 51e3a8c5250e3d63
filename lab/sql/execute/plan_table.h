// SPDX-License-Identifier: GPL-2.0-or-later
// The table of a plan, as DBMS_XPLAN prints it.
#ifndef ORALAB_PLAN_TABLE_H
#define ORALAB_PLAN_TABLE_H

#include "sql/emit/translate.h"
#include "sql/execute/plan_rows.h"

// `counts` are the statement's and then the rows', to which those of `more` are
// added. NULL: there are none.
void plan_table_show(sqlite3_str *out, const struct plan_rows *rows,
                     enum statement_kind kind, const struct plan_counts *counts,
                     const struct plan_counts *more);

#endif
