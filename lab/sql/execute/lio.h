// SPDX-License-Identifier: GPL-2.0-or-later
// Logical I/O: every page that SQLite requests from a data file's cache is a
// get, and every get passes the break check.
#ifndef ORALAB_LIO_H
#define ORALAB_LIO_H

#include <stdbool.h>
#include <stdint.h>

#include "net/breakcheck.h"

struct sqlite3;

struct lio {
    uint64_t *stat; // the session's statistics, by enum statistic
    struct break_channel *channel;
    struct sqlite3 *db;   // interrupted on a break; NULL: gets are not counted
    bool opens_data_file; // page caches made now are of a data file
    bool current_mode;    // the running statement changes data
    // A DML statement is cancelled by failing a get: an interrupt would roll
    // the whole transaction back.
    bool undoable, cancelled;
    bool retries_lock; // the gets of an attempt to lock again are not counted
};

// Wraps SQLite's page-cache module, before any database is opened. `lio` must
// live as long as the process. False if SQLite refuses.
bool lio_install(struct lio *lio);
// Ends the running statement with ORA-01013.
void lio_stop(struct lio *lio);

#endif
