// SPDX-License-Identifier: GPL-2.0-or-later
// Where a statement's tables and their columns are looked up.
#ifndef ORALAB_RESOLVE_CATALOG_H
#define ORALAB_RESOLVE_CATALOG_H

#include <stdbool.h>

enum table_owner { NO_TABLE, OWN_TABLE, OTHERS_TABLE, DICTIONARY_VIEW };

struct catalog {
    void *data;
    // Calls `take` for each column of the table. An `owner` of "" means that
    // the statement names none: the user's own tables come first.
    enum table_owner (*table)(void *data, const char *owner, const char *table,
                              void (*take)(void *to, const char *column,
                                           const char *declared, bool own),
                              void *to);
    // Whether the user has a table whose name differs only in case.
    bool (*differs_in_case)(void *data, const char *table);
    // Whether the client wants the call stopped: then the translation ends with
    // ORA-01013. May be NULL.
    bool (*is_cancelled)(void *data);
};

#endif
