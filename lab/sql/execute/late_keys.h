// SPDX-License-Identifier: GPL-2.0-or-later
// SQLite checks a unique key at each row, Oracle when the statement has ended.
// A statement that fails at a row is therefore executed once more without its
// keys, and its tables are searched for duplicates afterwards.
#ifndef ORALAB_LATE_KEYS_H
#define ORALAB_LATE_KEYS_H

#include <sqlite3.h>
#include <stdbool.h>

struct cursor;
struct ora_error;

enum { LATE_KEYS = 64 }; // of one statement

// Prepares the statement again, without the unique keys that it writes.
int sqlite_prepare_without_keys(sqlite3_stmt *statement, const char *schema,
                                sqlite3_stmt **to);
// A query whose row is SQLite's message about a duplicate in the unique key of
// that number, from 0, among those that the statement writes. From
// sqlite3_malloc(); NULL: there is no such key, or no memory.
char *sqlite_duplicates_query(sqlite3_stmt *statement, const char *schema,
                              unsigned number);

// After an UPDATE or MERGE has failed with `rc`: executes it by `execute` with
// its keys checked at its end, if it failed by one of them. Returns the code of
// the last execution. If that fails, too, `error` is set, and `message` to
// SQLite's message about the constraint, from sqlite3_malloc().
int late_keys_execute(struct cursor *cursor, int rc,
                      int (*execute)(struct cursor *cursor), char **message,
                      struct ora_error *error);

#endif
