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
    uint32_t jobs;   // the last one that there was
};

struct savepoints {
    unsigned count, last_number;
    unsigned block; // where the outermost block of PL/SQL began; 0: nowhere
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

static struct savepoints *all_of(struct database *database) {
    if (!database->savepoints)
        database->savepoints = calloc(1, sizeof *database->savepoints);
    return database->savepoints;
}

// SQLite forgets one only together with those after it. In a loop that makes
// the same one again and again, there is none after it.
static void make_again(struct database *database, struct savepoint *one) {
    struct savepoints *all = database->savepoints;
    const bool last = one == all->made + all->count - 1;
    if (last && one->number > all->block &&
        !sqlite3_get_autocommit(database->db))
        run(database, "RELEASE", one->number);
    take_out(all, one);
}

bool savepoint_make(struct database *database, const char *name,
                    struct ora_error *error) {
    struct savepoints *all = all_of(database);
    if (!all) {
        ora_error_set(error, 4030, "");
        return false;
    }
    struct savepoint *namesake = named(all, name);
    if (namesake)
        make_again(database, namesake);
    if (all->count == MOST_SAVEPOINTS) {
        ora_error_set(error, 3001, "more than 200 savepoints");
        return false;
    }
    struct savepoint *savepoint = &all->made[all->count];
    snprintf(savepoint->name, sizeof savepoint->name, "%s", name);
    savepoint->number = ++all->last_number;
    savepoint->jobs = database->sga->jobs.made;
    if (!sqlite3_get_autocommit(database->db) &&
        !run(database, "SAVEPOINT", savepoint->number)) {
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
    if (database->has_jobs)
        database->has_jobs =
            jobs_roll_back(database->sga, database->self, to->jobs);
    if (sqlite3_get_autocommit(database->db))
        return true; // nothing has changed
    // Half-fetched queries keep their rows.
    if (!read_ahead_all(database, NULL, error))
        return false;
    // A block that fails undoes nothing earlier than this.
    const bool restarts_block = all->block > to->number;
    if (run(database, "ROLLBACK TO", to->number) &&
        (!restarts_block || run(database, "SAVEPOINT", all->block)))
        return true;
    ora_error_from_sqlite(error, database->db);
    return false;
}

bool savepoints_begin_block(struct database *database) {
    struct savepoints *all = all_of(database);
    if (!all || sqlite3_get_autocommit(database->db) ||
        !run(database, "SAVEPOINT", all->last_number + 1))
        return false;
    all->block = ++all->last_number;
    return true;
}

void savepoints_end_block(struct database *database) {
    struct savepoints *all = database->savepoints;
    const bool has_savepoints =
        all->count > 0 && all->made[all->count - 1].number > all->block;
    // Those that the block has made would be forgotten with it.
    if (all->block && !has_savepoints)
        run(database, "RELEASE", all->block);
    all->block = 0;
}

bool savepoints_undo_block(struct database *database) {
    struct savepoints *all = database->savepoints;
    const unsigned block = all->block;
    all->block = 0;
    if (!block || !run(database, "ROLLBACK TO", block) ||
        !run(database, "RELEASE", block))
        return false;
    while (all->count > 0 && all->made[all->count - 1].number > block)
        all->count--;
    return true;
}

struct savepoints *savepoints_set_aside(struct database *database) {
    struct savepoints *all = database->savepoints;
    database->savepoints = NULL;
    return all;
}

void savepoints_take_back(struct database *database, struct savepoints *all) {
    free(database->savepoints);
    database->savepoints = all;
}

bool savepoints_begin(struct database *database) {
    const struct savepoints *all = database->savepoints;
    for (unsigned i = 0; all && i < all->count; i++)
        if (!run(database, "SAVEPOINT", all->made[i].number))
            return false;
    return true;
}

void savepoints_forget(struct database *database) {
    struct savepoints *all = database->savepoints;
    if (all)
        all->count = all->block = 0;
}
