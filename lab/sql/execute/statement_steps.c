// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/execute/statement_steps.h"

#include <sqlite3.h>

#include "sql/execute/database.h"
#include "sql/execute/statement_journal.h"

static uint64_t gets_of(const struct database *database) {
    const uint64_t *stat = database->self->stat;
    return stat[STAT_CONSISTENT_GETS] + stat[STAT_DB_BLOCK_GETS];
}

bool statement_steps_cancelled(struct database *database) {
    struct break_channel *channel = database->lio.channel;
    struct statement_steps *steps = &database->steps;
    const uint64_t polls = *channel->polls;
    const int64_t now_us = clock_us();
    if (now_us - steps->polled_us >= LONGEST_DEAF_US && channel->skip > 0)
        channel->skipped = channel->skip - 1; // so this check polls
    const bool stop = nioqts(channel);
    if (*channel->polls != polls)
        steps->polled_us = now_us;
    return stop;
}

void statement_steps_begin_call(struct database *database) {
    database->steps.idle = 0;
}

// Whether enough was done without a get for checks to be due.
static bool is_idle(struct database *database) {
    struct statement_steps *steps = &database->steps;
    const uint64_t gets = gets_of(database);
    if (gets != steps->gets_before) {
        steps->gets_before = gets;
        steps->idle = 0;
        return false;
    }
    if (steps->idle == 0)
        steps->idle_since_cpu_us = cpu_us(0);
    steps->idle += STEPS_PER_CHECK;
    return steps->idle > STEPS_BEFORE_CHECKS ||
           cpu_us(0) - steps->idle_since_cpu_us > US_BEFORE_CHECKS;
}

// SQLite's progress handler: whether to end the statement.
static int after_steps(void *argument) {
    struct database *database = argument;
    if (!is_idle(database) || !statement_steps_cancelled(database))
        return false;
    // A change must end as after a failed allocation: an interrupt would roll
    // the whole transaction back.
    if (database->lio.undoable) {
        database->lio.cancelled = true;
        database->lio.undoable = false; // undoing it makes gets
        sqlite_fail_statement(database->db);
    }
    return true;
}

bool statement_steps_take(struct database *database, unsigned steps) {
    struct statement_steps *all = &database->steps;
    all->taken += steps;
    if (all->taken < STEPS_PER_CHECK)
        return true;
    all->taken -= STEPS_PER_CHECK;
    return !is_idle(database) || !statement_steps_cancelled(database);
}

void statement_steps_watch(struct database *database) {
    sqlite3_progress_handler(database->db, STEPS_PER_CHECK, after_steps,
                             database);
}
