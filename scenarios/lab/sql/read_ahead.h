// SPDX-License-Identifier: GPL-2.0-or-later
// What is left of half-fetched queries, read before another statement begins.
//
// All that runs on one SQLite connection sees one snapshot of a data file: as
// long as one query is fetched half, the session's other statements would not
// see what was committed since. In Oracle each sees what was committed when it
// began. So the rows that are left are written to a file that has no name, and
// the query, which is over then, gives up its snapshot.
#ifndef ORALAB_READ_AHEAD_H
#define ORALAB_READ_AHEAD_H

#include "sql/cursor.h"

// Leaves no query running, save that of `starting`, which may be NULL. One
// whose rows take more than 256 MiB ends with ORA-01555 when it is fetched
// on. False with ORA-01013 in `error` when the client wants the call stopped;
// so ends then the query that was being read.
bool read_ahead(struct database *database, const struct cursor *starting,
                struct ora_error *error);
bool any_is_half_fetched(const struct database *database);

// The next row of those that were read ahead, or their end; as
// cursor_advance().
bool advance_ahead(struct cursor *cursor, struct ora_error *error);
void forget_ahead(struct cursor *cursor);

#endif
