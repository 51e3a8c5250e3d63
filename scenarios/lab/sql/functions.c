// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/functions.h"

#include <stddef.h>

bool functions_add(sqlite3 *db, const struct function *all) {
    for (const struct function *f = all; f->name; f++)
        for (int n = f->least; n <= f->most; n++)
            if (sqlite3_create_function(
                    db, f->name, n,
                    SQLITE_UTF8 | (f->varies ? 0 : SQLITE_DETERMINISTIC),
                    (void *)f->data, f->call, NULL, NULL) != SQLITE_OK)
                return false;
    return true;
}

bool functions_any_null(int n, sqlite3_value **value) {
    for (int i = 0; i < n; i++)
        if (sqlite3_value_type(value[i]) == SQLITE_NULL)
            return true;
    return false;
}
