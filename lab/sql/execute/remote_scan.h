// SPDX-License-Identifier: GPL-2.0-or-later
// The interface between the files that make remote tables SQLite's.
#ifndef ORALAB_REMOTE_SCAN_H
#define ORALAB_REMOTE_SCAN_H

#include "sql/execute/remote.h"

struct sqlite3_index_info;
struct sqlite3_module;
struct sqlite3_value;

struct remote_definition { // the argument of the module
    struct database *database;
    char link[LINK_NAME];
    char from[2 * LINK_NAME + 8]; // of a table: "OWNER"."NAME"
    // Of a whole query, as the parse left it; NULL: of a table.
    struct remote_query *query;
    bool in_use; // by a cursor of SQLite's
    struct column *column;
    unsigned columns;
    unsigned binds;
};

// remote_scan.c: the module of all of them; its argument is a definition.
extern const struct sqlite3_module remote_module;

// remote_plan.c: SQLite compares ways to read a table. The plan's text has the
// columns that are used, and of each comparison its column and its operator.
int remote_plan(const struct remote_definition *of,
                struct sqlite3_index_info *info, struct ora_error *error);
// The query of a plan with these values. Those that it has as binds are kept in
// `value`, of which there are `*n`. To be freed by sqlite3_free().
char *remote_plan_text(const struct remote_definition *of, const char *plan,
                       uint64_t *used, int *n, struct sqlite3_value **value);
// The place of a used column in that query's select list.
unsigned remote_plan_place(uint64_t used, unsigned column);
bool remote_plan_uses(uint64_t used, unsigned column);

#endif
