// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/functions.h"

#include <stddef.h>
#include <strings.h>

enum { MOST_VARYING = 64 };

static const char *varying[MOST_VARYING];
static size_t varying_count;

bool functions_vary(const char *name) {
    for (size_t i = 0; i < varying_count; i++)
        if (strcasecmp(varying[i], name) == 0)
            return true;
    return varying_count == MOST_VARYING; // not all could be noted
}

void functions_note_varying(const char *name) {
    if (varying_count < MOST_VARYING && !functions_vary(name))
        varying[varying_count++] = name;
}

bool functions_add(sqlite3 *db, const struct function *all) {
    for (const struct function *f = all; f->name; f++) {
        if (f->varies)
            functions_note_varying(f->name);
        for (int n = f->least; n <= f->most; n++)
            if (sqlite3_create_function(
                    db, f->name, n,
                    SQLITE_UTF8 | (f->varies ? 0 : SQLITE_DETERMINISTIC),
                    (void *)f->data, f->call, NULL, NULL) != SQLITE_OK)
                return false;
    }
    return true;
}

bool functions_any_null(int n, sqlite3_value **value) {
    for (int i = 0; i < n; i++)
        if (sqlite3_value_type(value[i]) == SQLITE_NULL)
            return true;
    return false;
}
