// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef ORALAB_STATEMENT_JOURNAL_H
#define ORALAB_STATEMENT_JOURNAL_H

#include <sqlite3.h>
#include <stdbool.h>

// As sqlite3_step(), for a change in an open transaction: when it fails for
// any reason but SQLITE_INTERRUPT, the changes of this statement are undone,
// and no others. A get that the page cache refuses fails it with SQLITE_NOMEM.
// SQLITE_SCHEMA where the tables are no longer those it was prepared for.
int step_undoably(sqlite3_stmt *statement);

// Whether running the statement reads or changes tables of that schema.
bool uses_schema(sqlite3_stmt *statement, const char *schema);

// SQLite interrupts all that is running, and what begins as long as any of that
// goes on. A break is for one call: once it is answered, the rest may go on.
void forget_interrupt(sqlite3 *db);

// The values of one statement's placeholders to those of another with the same
// number of them.
void move_binds(sqlite3_stmt *from, sqlite3_stmt *to);

// How the table that SQLite finds by that name is spelled; NULL where the
// schema has none.
const char *name_of_table(sqlite3 *db, const char *schema, const char *name);

#endif
