// SPDX-License-Identifier: GPL-2.0-or-later
// Where a statement's tables and their columns are looked up.
#ifndef ORALAB_RESOLVE_CATALOG_H
#define ORALAB_RESOLVE_CATALOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum table_owner { NO_TABLE, OWN_TABLE, OTHERS_TABLE, DICTIONARY_VIEW };

enum { REMOTE_NAME = 400 };

// Takes a column of a table.
typedef void take_column_of(void *to, const char *column, const char *declared,
                            bool own);

struct catalog {
    void *data;
    // Calls `take` for each column of the table. An `owner` of "" means that
    // the statement names none: the user's own tables come first.
    enum table_owner (*table)(void *data, const char *owner, const char *table,
                              take_column_of *take, void *to);
    // The data object of a table: see rowid.h. 0: it has no ROWIDs.
    uint32_t (*object)(void *data, const char *owner, const char *table);
    // Whether the user has a table whose name differs only in case.
    bool (*differs_in_case)(void *data, const char *table);
    // A table at the other end of a link, and the name by which SQLite knows
    // it. Returns 0, or an error's number. NULL: there are no links.
    unsigned (*remote_table)(void *data, const char *link, const char *owner,
                             const char *table, char name[REMOTE_NAME],
                             take_column_of *take, void *to);
    // A whole query there; `*number` is given to it.
    unsigned (*remote_query)(void *data, const char *link, const char *sql,
                             size_t length, unsigned binds, unsigned *number,
                             take_column_of *take, void *to);
    // Whether the client wants the call stopped: then the translation ends with
    // ORA-01013. May be NULL.
    bool (*is_cancelled)(void *data);
};

#endif
