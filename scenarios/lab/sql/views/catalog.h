// SPDX-License-Identifier: GPL-2.0-or-later
// The columns of the tables that a session can see.
#ifndef ORALAB_CATALOG_H
#define ORALAB_CATALOG_H

#include "sql/resolve/catalog.h"

struct database;

struct catalog catalog_of(struct database *database);
// The data object of a table of SQLite's schema; 0: there is no such table.
uint32_t catalog_object(struct database *database, const char *schema,
                        const char *table);

#endif
