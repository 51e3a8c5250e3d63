// SPDX-License-Identifier: GPL-2.0-or-later
// Reading the rest of half-fetched queries before another statement begins.
//
// All statements on one SQLite connection share one snapshot of a data file:
// while one query is half-fetched, the session's other statements would not see
// later commits. In Oracle each statement sees the commits before it
// began. So the remaining rows are written to an unnamed temporary file, and
// the query gives up its snapshot.
#ifndef ORALAB_READ_AHEAD_H
#define ORALAB_READ_AHEAD_H

#include "sql/execute/cursor.h"

// Reads all half-fetched queries to their end, except `starting`, which may be
// NULL. A query whose rows take more than 256 MiB fails with ORA-01555 when it
// is fetched further. False with ORA-01013 in `error` if the client cancels the
// call; the query being read fails with it, too.
bool read_ahead_all(struct database *database, const struct cursor *starting,
                    struct ora_error *error);
bool read_ahead_is_needed(const struct database *database);

// The rows of `cursor` are from now on those of this memory from malloc, which
// read_ahead_rows() returned. False without memory: it is not taken over then.
bool read_ahead_take(struct cursor *cursor, void *rows, uint64_t bytes,
                     uint64_t count);
// Reads the query that stands on its first row to its end, as above. If its
// rows take more than `most` bytes, it is to be executed again instead, from
// cursor_advance() on, and has no `ahead`.
bool read_ahead_within(struct cursor *cursor, size_t most,
                       struct ora_error *error);
// A copy, from malloc, of all the rows that were read ahead, the first of which
// comes next. NULL if they end with an error, or without memory.
void *read_ahead_rows(struct cursor *cursor, uint64_t *bytes, uint64_t *count);

// As cursor_advance(), for rows that were read ahead.
bool read_ahead_advance(struct cursor *cursor, struct ora_error *error);
void read_ahead_forget(struct cursor *cursor);

#endif
