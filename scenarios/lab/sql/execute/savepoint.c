// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/execute/savepoint.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sql/execute/database.h"
#include "sql/execute/read_ahead.h"
#include "sql/parse/limits.h"

enum { MOST_SAVEPOINTS = 200 };

struct savepoint {
    char name[LONGEST_NAME + 1];
    unsigned number; // SQLite knows it by this
};

struct savepoints {
    unsigned count, last_number;
    struct savepoint made[MOST_SAVEPOINTS]; // in their order
};

static bool run(struct database *database, const char *command,
                unsigned number) {
    char sql[64];
    snprintf(sql, sizeof sql, "%s \"SAVEPOINT$%u\"", command, number);
    return sqlite3_exec(database->db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

static struct savepoint *named(struct savepoints *all, const char *name) {
    for (unsigned i = 0; all && i < all->count; i++)
        if (strcmp(all->made[i].name, name) == 0)
            return &all->made[i];
    return NULL;
}

static void take_out(struct savepoints *all, struct savepoint *one) {
    const struct savepoint *end = all->made + all->count--;
    memmove(one, one + 1, (size_t)(end - one - 1) * sizeof *one);
}

bool savepoint_make(struct database *database, const char *name,
                    struct ora_error *error) {
    struct savepoints *all = database->savepoints;
    if (!all)
        all = database->savepoints = calloc(1, sizeof *all);
    if (!all) {
        ora_error_set(error, 4030, "");
        return false;
    }
    struct savepoint *before = named(all, name);
    if (before)
        take_out(all, before);
    if (all->count == MOST_SAVEPOINTS) {
        ora_error_set(error, 3001, "more than 200 savepoints");
        return false;
    }
    struct savepoint *one = &all->made[all->count];
    snprintf(one->name, sizeof one->name, "%s", name);
    one->number = ++all->last_number;
    if (!sqlite3_get_autocommit(database->db) &&
        !run(database, "SAVEPOINT", one->number)) {
        ora_error_from_sqlite(error, database->db);
        return false;
    }
    all->count++;
    return true;
}

bool savepoint_roll_back(struct database *database, const char *name,
                         struct ora_error *error) {
    struct savepoints *all = database->savepoints;
    struct savepoint *to = named(all, name);
    if (!to) {
        ora_error_set(error, 1086, name);
        return false;
    }
    all->count = (unsigned)(to - all->made) + 1;
    if (sqlite3_get_autocommit(database->db))
        return true; // nothing has changed
    // Half-fetched queries keep their rows.
    if (!read_ahead_all(database, NULL, error))
        return false;
    if (run(database, "ROLLBACK TO", to->number))
        return true;
    ora_error_from_sqlite(error, database->db);
    return false;
}

bool savepoints_begin(struct database *database) {
    const struct savepoints *all = database->savepoints;
    for (unsigned i = 0; all && i < all->count; i++)
        if (!run(database, "SAVEPOINT", all->made[i].number))
            return false;
    return true;
}

void savepoints_forget(struct database *database) {
    free(database->savepoints);
    database->savepoints = NULL;
}
