// SPDX-License-Identifier: GPL-2.0-or-later
// The columns of SYS's tables and views, which no session can change: read from
// SQLite once a session, for to prepare a query of a view takes as long as to
// parse most statements.
#ifndef ORALAB_SYS_COLUMNS_H
#define ORALAB_SYS_COLUMNS_H

#include "sql/resolve/catalog.h"

struct sqlite3_stmt;
struct sys_columns;

// The kept columns of `table`; NULL: it has not been read.
const struct sys_columns *sys_columns_of(const struct sys_columns *all,
                                         const char *table);
// Calls `take` for each column. Returns whether it is a table or a view.
enum table_owner sys_columns_take(const struct sys_columns *table,
                                  take_column_of *take, void *to);
// Keeps the columns of the prepared `SELECT *` from `table`, and takes them.
// Without memory they are read again the next time.
enum table_owner sys_columns_keep(struct sys_columns **all, const char *table,
                                  enum table_owner kind,
                                  struct sqlite3_stmt *statement,
                                  take_column_of *take, void *to);
void sys_columns_free(struct sys_columns **all);

#endif
