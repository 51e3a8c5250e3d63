// SPDX-License-Identifier: GPL-2.0-or-later
// Queries whose rows the server result cache has, or is to have.
//
// The whole result is fetched, and kept, when the query is executed. A
// result that does not follow from the tables, the binds and the session's
// settings alone is not kept (Oracle's Database Performance Tuning Guide,
// "Requirements for the Result Cache"), nor is one of other tables than the
// user's own, or of none.
#ifndef ORALAB_CACHED_RESULT_H
#define ORALAB_CACHED_RESULT_H

#include "sql/execute/cursor.h"

// The search for the result of one execution.
struct cached_result {
    struct result_search search;
    struct result_key key;
    int64_t began_us;
    unsigned misses; // database->misses then
};

// Adds the values that the cursor was bound to to the key of its result.
void cached_result_bind(struct cursor *cursor, const struct bind_value *value,
                        unsigned count);
// Whether the query's result could be cached, by its tables.
bool cached_result_is_possible(const struct cursor *cursor);
// Whether it is to be.
bool cached_result_is_wanted(const struct cursor *cursor);
// Looks for it. True if the cursor now has its rows.
bool cached_result_find(struct cursor *cursor, struct cached_result *result);
// Keeps the rows of the query, which stands on its first row or at its end.
// False with `error` set when the client wants the call stopped, or the query
// fails.
bool cached_result_keep(struct cursor *cursor, struct cached_result *result,
                        struct ora_error *error);

#endif
