// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/functions/function.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { LONGEST_FUNCTION = 40 };

static const struct function *const tables[] = {
    arithmetic_functions,    number_functions,     text_functions,
    date_functions,          conversion_functions, comparison_functions,
    aggregate_functions,     window_functions,     assignment_functions,
    rownum_functions,        dictionary_functions, annotation_functions,
    form_functions,          session_functions,    trace_functions,
    binary_number_functions, rowid_functions,      regexp_functions,
    sequence_functions,      listagg_functions,    raw_functions,
    hierarchy_functions,     interval_functions,   keep_functions,
    cluster_functions};

const struct function *function_named(const char *name, size_t length) {
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct function *f = tables[i]; f->name; f++)
            if (f->kind != FUNCTION_INTERNAL && strlen(f->name) == length &&
                strncasecmp(f->name, name, length) == 0)
                return f;
    return NULL;
}

// Behind the name of one that has no parentheses in Oracle.
static const char *mark_of(const struct function *f) {
    return f->kind == FUNCTION_BARE ? "$" : "";
}

static bool is_known_as(const struct function *f, const char *name) {
    const size_t length = strlen(f->name);
    return strncasecmp(f->name, name, length) == 0 &&
           strcmp(name + length, mark_of(f)) == 0;
}

bool function_varies(const char *name) {
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct function *f = tables[i]; f->name; f++)
            if ((f->varies || f->of_session) && is_known_as(f, name))
                return true;
    return false;
}

static bool add(sqlite3 *db, const struct function *f, int arguments,
                struct database *database) {
    char name[LONGEST_FUNCTION];
    const int flags =
        SQLITE_UTF8 |
        (f->varies || f->of_session || f->step ? 0 : SQLITE_DETERMINISTIC);
    void *data = f->of_session ? (void *)database : (void *)f->data;
    snprintf(name, sizeof name, "%s%s", f->name, mark_of(f));
    if (f->inverse)
        return sqlite3_create_window_function(db, name, arguments, flags, data,
                                              f->step, f->answer, f->answer,
                                              f->inverse, NULL) == SQLITE_OK;
    return sqlite3_create_function(db, name, arguments, flags, data, f->call,
                                   f->step, f->answer) == SQLITE_OK;
}

static bool add_all(sqlite3 *db, const struct function *f,
                    struct database *database) {
    enum { MOST_VARIANTS = 8 };
    if (!f->call && !f->step)
        return true;
    if (f->most - f->least >= MOST_VARIANTS)
        return add(db, f, ANY_NUMBER, database);
    for (int n = f->least; n <= f->most; n++)
        if (!add(db, f, n, database))
            return false;
    return true;
}

bool functions_register(sqlite3 *db, struct database *database) {
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct function *f = tables[i]; f->name; f++)
            if (!add_all(db, f, database))
                return false;
    return true;
}

bool functions_any_null(int n, sqlite3_value **value) {
    for (int i = 0; i < n; i++)
        if (sqlite3_value_type(value[i]) == SQLITE_NULL)
            return true;
    return false;
}
