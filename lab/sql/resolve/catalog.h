// SPDX-License-Identifier: GPL-2.0-or-later
// Where a statement's tables and their columns are looked up.
#ifndef ORALAB_RESOLVE_CATALOG_H
#define ORALAB_RESOLVE_CATALOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sql/types/operand_type.h"

enum table_owner {
    NO_TABLE,
    OWN_TABLE,
    OTHERS_TABLE,
    DICTIONARY_VIEW,
    USER_VIEW,
    SYNONYM, // of the user's, or a public one
};

enum { REMOTE_NAME = 400, STORED_NAME = 400 };

// Takes a column of a table.
typedef void take_column_of(void *to, const char *column, const char *declared,
                            bool own);

// Takes text number `n` of a definition.
typedef void take_text_of(void *to, unsigned n, const char *text,
                          size_t length);

// Takes a table that is in a cluster, with its number there, from 1.
typedef void take_clustered_of(void *to, const char *cluster, unsigned number,
                               const char *table);

struct catalog {
    void *data;
    // Calls `take` for each column of the table, or of the user's view. An
    // `owner` of "" means that the statement names none: the user's own tables
    // come first, and public synonyms last. "PUBLIC" has these alone.
    enum table_owner (*table)(void *data, const char *owner, const char *table,
                              take_column_of *take, void *to);
    // The text that created the user's view or synonym of the name, or else the
    // public synonym: text 0 is the statement, and those from 1 are the names
    // of a view's columns in its query.
    bool (*definition)(void *data, const char *name, take_text_of *take,
                       void *to);
    // The data object of a table: see rowid.h. 0: it has no ROWIDs.
    uint32_t (*object)(void *data, const char *owner, const char *table);
    // Whether a column of the user's table has a default. NULL: none has.
    bool (*has_default)(void *data, const char *table, const char *column);
    // The user's hash cluster: the columns of its key, and whether it is one of
    // a SINGLE TABLE. False: there is none. NULL: there are no clusters.
    bool (*cluster)(void *data, const char *name, take_column_of *take,
                    void *to, bool *single);
    // All of the user's tables that are in one. NULL: there are none.
    void (*clustered)(void *data, take_clustered_of *take, void *to);
    // Whether there is a sequence of this name. NULL: there are none.
    bool (*sequence)(void *data, const char *name);
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
    // The type of the result of a function of PL/SQL, whose name may have parts
    // with points between them. False: there is none. May be NULL.
    bool (*stored_function)(void *data, const char *name,
                            enum operand_type *type);
    // Whether the client wants the call stopped: then the translation ends with
    // ORA-01013. May be NULL.
    bool (*is_cancelled)(void *data);
};

#endif
