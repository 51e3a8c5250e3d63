// SPDX-License-Identifier: GPL-2.0-or-later
// The columns of the tables that a session can see.
#ifndef ORALAB_CATALOG_H
#define ORALAB_CATALOG_H

#include "sql/resolve/catalog.h"

struct database;

struct catalog catalog_of(struct database *database);
// A query's statement, without running it; frees its text. NULL: it is none.
struct sqlite3_stmt *catalog_prepare(struct database *database, char *sql);
// Of a row of a view of emit/views.c, the columns from `first` on: each with
// its type up to a colon.
void catalog_take_types(struct sqlite3_stmt *view, int first,
                        take_column_of *take, void *to);
// The data object of a table of SQLite's schema; 0: there is no such table.
uint32_t catalog_object(struct database *database, const char *schema,
                        const char *table);

#endif
