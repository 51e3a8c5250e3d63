// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef ORALAB_STATEMENT_JOURNAL_H
#define ORALAB_STATEMENT_JOURNAL_H

#include <sqlite3.h>
#include <stdbool.h>

// As sqlite3_step(), for DML in an open transaction: on any failure except
// SQLITE_INTERRUPT, the changes of this statement alone are undone. A get that
// the page cache refuses fails it with SQLITE_NOMEM. SQLITE_SCHEMA if the
// tables have changed since it was prepared.
int sqlite_step_undoably(sqlite3_stmt *statement);

// Whether the statement reads or changes tables of that schema.
bool sqlite_statement_uses_schema(sqlite3_stmt *statement, const char *schema);

// Makes the running statement fail as if it had no memory. Only its own changes
// are undone.
void sqlite_fail_statement(sqlite3 *db);

// An interrupt ends all running statements, and those that begin while any of
// these runs. A break is for one call only: once it is answered, the others may
// go on.
void sqlite_forget_interrupt(sqlite3 *db);

// Copies the binds of one statement to another with as many placeholders.
void sqlite_move_binds(sqlite3_stmt *from, sqlite3_stmt *to);

// The spelling of the table that SQLite finds by that name; NULL if the schema
// has none.
const char *sqlite_table_name(sqlite3 *db, const char *schema,
                              const char *name);

#endif
