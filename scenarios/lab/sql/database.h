// SPDX-License-Identifier: GPL-2.0-or-later
// One session's database: an in-memory main database with the fixed tables,
// the data files attached to it under their owners' names.
//
// A statement that reads only fixed tables touches no data file's cache. It
// makes no gets and no break checks, so a counter it reads is exact.
#ifndef ORALAB_DATABASE_H
#define ORALAB_DATABASE_H

#include <stdbool.h>
#include <stddef.h>

#include "process/sga.h"
#include "sql/lio.h"

struct sqlite3;
struct cursor;

struct database {
    struct sqlite3 *db;
    struct sga *sga;
    struct session_slot *self;
    struct lio lio;
    struct cursor *cursors; // the open ones, by their `next`
    int lock_wait_s; // the longest wait for a lock; -1: as long as it takes
    bool declaring;  // a fixed table tells SQLite its columns
    bool stepping;   // nothing is to be prepared
    char own_schema[SGA_NAME + 2]; // the user's, quoted
};

// `database` must live as long as the process. False with one line in `why`.
bool database_open(struct database *database, struct sga *sga,
                   struct session_slot *self, struct break_channel *channel,
                   char *why, size_t size);
void database_close(struct database *database);

// For the fixed tables: sqlite3_declare_vtab(), which looks like a change of
// the main database.
int declare_fixed(struct database *database, const char *sql);

// session_functions.c, fixed_table.c, connect_by.c; for others see functions.h
bool session_functions_register(struct database *database);
bool fixed_tables_register(struct database *database);
bool connect_by_register(struct database *database);

#endif
