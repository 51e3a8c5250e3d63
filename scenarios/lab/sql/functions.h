// SPDX-License-Identifier: GPL-2.0-or-later
// Registration of Oracle's functions in SQLite: each file has a table.
#ifndef ORALAB_FUNCTIONS_H
#define ORALAB_FUNCTIONS_H

#include <sqlite3.h>
#include <stdbool.h>

struct function {
    const char *name;
    int least, most; // numbers of arguments; -1: any
    void (*call)(sqlite3_context *, int, sqlite3_value **);
    const void *data;
    bool varies; // not deterministic
};

// `all` ends with an entry without a name.
bool functions_add(sqlite3 *db, const struct function *all);
// Notes a function that is registered elsewhere, whose value does not follow
// from its arguments and the session's settings alone; and whether one is such.
void functions_note_varying(const char *name);
bool functions_vary(const char *name);
// date_functions.c: SYSDATE and the like are constant during a statement.
void date_functions_begin_statement(void);
// Whether an argument is NULL; then nearly every result is.
bool functions_any_null(int n, sqlite3_value **value);

// One per file.
bool arithmetic_register(sqlite3 *db);
bool number_functions_register(sqlite3 *db);
bool text_functions_register(sqlite3 *db);
bool date_functions_register(sqlite3 *db);
bool conversions_register(sqlite3 *db);
bool comparisons_register(sqlite3 *db);
bool aggregates_register(sqlite3 *db);
bool assignments_register(sqlite3 *db);
bool binary_numbers_register(sqlite3 *db);
bool rowids_register(sqlite3 *db);
bool rownum_register(sqlite3 *db);
bool table_text_register(sqlite3 *db);

#endif
