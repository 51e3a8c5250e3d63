// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef ORALAB_STATEMENT_JOURNAL_H
#define ORALAB_STATEMENT_JOURNAL_H

#include <sqlite3.h>

// As sqlite3_step(), for a change in an open transaction: when it fails for
// any reason but SQLITE_INTERRUPT, the changes of this statement are undone,
// and no others. A get that the page cache refuses fails it with SQLITE_NOMEM.
int step_undoably(sqlite3_stmt *statement);

#endif
