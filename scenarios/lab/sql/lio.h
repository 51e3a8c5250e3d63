// SPDX-License-Identifier: GPL-2.0-or-later
// Logical I/O: every page SQLite asks a data file's cache for is a get, and
// every get passes through the break check.
#ifndef ORALAB_LIO_H
#define ORALAB_LIO_H

#include <stdbool.h>
#include <stdint.h>

#include "net/breakcheck.h"

struct sqlite3;

struct lio {
    uint64_t *stat; // of the session
    struct break_channel *channel;
    struct sqlite3 *db; // told to stop when the check says so; none, no gets
    bool current_mode;  // the running statement changes data
    // A change that runs undoably is stopped by a get that fails: to interrupt
    // it would roll the whole transaction back.
    bool undoable, cancelled;
};

// Puts a page-cache module around SQLite's own, before any database is opened.
// `lio` must live as long as the process. False if SQLite refuses.
bool lio_install(struct lio *lio);
// The running statement is to end with ORA-01013.
void lio_stop(struct lio *lio);

#endif
