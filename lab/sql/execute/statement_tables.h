// SPDX-License-Identifier: GPL-2.0-or-later
// The tables that a statement reads and changes, as seen by the authorizer
// while it is prepared: the result cache depends on it.
#ifndef ORALAB_STATEMENT_TABLES_H
#define ORALAB_STATEMENT_TABLES_H

#include <stdbool.h>

#include "process/result_cache.h"

struct statement_tables {
    struct result_key read[RESULT_TABLES]; // tables of the user's own
    unsigned reads;
    struct result_key changed; // the one that it inserts into, updates, ...
    bool changes;
    // It also reads more or other tables, or calls a function whose value does
    // not follow from its arguments and the session's settings alone.
    bool others, varies;
    bool calls; // a function of PL/SQL
};

// Tables read so far by the statements of a function.
struct statements_read {
    struct statement_tables tables;
    uint64_t since; // of the oldest of their snapshots; see result_cache.h
};

// Notes an action of the authorizer (SQLITE_READ, ...) with its arguments.
void statement_tables_note(struct statement_tables *tables, const char *user,
                           int action, const char *first, const char *second,
                           const char *schema);
void statements_read_add(struct statements_read *to,
                         const struct statement_tables *tables, uint64_t since);
// The key of the user's table, or stored function or package, of that name.
struct result_key statement_table_key(const char *user, const char *table);

#endif
