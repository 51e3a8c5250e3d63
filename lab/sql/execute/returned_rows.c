// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/execute/returned_rows.h"

#include <sqlite3.h>
#include <stdlib.h>

bool returned_rows_take(struct returned_rows *rows, sqlite3_stmt *statement) {
    const int columns = sqlite3_column_count(statement);
    if (rows->room - rows->count < (size_t)columns) {
        const size_t room = 2 * rows->room + (size_t)columns;
        sqlite3_value **grown = realloc(rows->value, room * sizeof *grown);
        if (!grown)
            return false;
        rows->value = grown;
        rows->room = room;
    }
    for (int i = 0; i < columns; i++) {
        sqlite3_value *copy =
            sqlite3_value_dup(sqlite3_column_value(statement, i));
        if (!copy)
            return false;
        rows->value[rows->count++] = copy;
    }
    return true;
}

void returned_rows_forget(struct returned_rows *rows) {
    for (size_t i = 0; i < rows->count; i++)
        sqlite3_value_free(rows->value[i]);
    free(rows->value);
    *rows = (struct returned_rows){0};
}
