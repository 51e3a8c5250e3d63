// SPDX-License-Identifier: GPL-2.0-or-later
// How Oracle's functions get to SQLite: each file has a table of its own.
#ifndef ORALAB_FUNCTIONS_H
#define ORALAB_FUNCTIONS_H

#include <sqlite3.h>
#include <stdbool.h>

struct function {
    const char *name;
    int least, most; // arguments; -1: any number
    void (*call)(sqlite3_context *, int, sqlite3_value **);
    const void *data;
    bool varies; // not the same for the same arguments
};

// `all` ends with an entry without a name.
bool functions_add(sqlite3 *db, const struct function *all);
// date_functions.c: SYSDATE and its like are the same all through a statement.
void statement_begins(void);
// Whether one of the arguments is NULL, as then nearly every answer is.
bool any_null(int n, sqlite3_value **value);

// One for each file.
bool arithmetic_register(sqlite3 *db);
bool number_functions_register(sqlite3 *db);
bool text_functions_register(sqlite3 *db);
bool date_functions_register(sqlite3 *db);
bool conversions_register(sqlite3 *db);
bool comparisons_register(sqlite3 *db);
bool aggregates_register(sqlite3 *db);
bool assignments_register(sqlite3 *db);
bool rownum_register(sqlite3 *db);

#endif
