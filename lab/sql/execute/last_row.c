// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/execute/last_row.h"

#include <sqlite3.h>
#include <stdio.h>

#include "sql/views/catalog.h"
#include "sql/execute/cursor.h"

static void changed(void *data, int operation, const char *schema,
                    const char *table, sqlite3_int64 row) {
    struct last_row *last = data;
    (void)operation, (void)schema;
    if (!last->any)
        snprintf(last->table, sizeof last->table, "%s", table);
    last->any = true;
    last->row = row;
}

void last_row_watch(struct database *database) {
    sqlite3_update_hook(database->db, changed, &database->last_row);
}

void last_row_forget(struct database *database) {
    database->last_row.any = false;
}

void last_row_keep(struct cursor *cursor) {
    struct database *database = cursor->database;
    const struct last_row *last = &database->last_row;
    if (!last->any)
        return;
    if (cursor->changed_object == 0)
        cursor->changed_object =
            catalog_object(database, database->sga->user, last->table);
    if (!rowid_of_row(cursor->changed_object, last->row, &cursor->last))
        cursor->last = (struct rowid){0};
}
