// SPDX-License-Identifier: GPL-2.0-or-later
// Remote databases, as statements see them. The functions are those of link/,
// which this folder does not know; the session has them in its database.
#ifndef ORALAB_REMOTE_H
#define ORALAB_REMOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sql/execute/cursor.h"

struct remote; // the links of a session
struct remote_query;
struct sqlite3_value;
struct sqlite3;

struct remote_link_status { // a row of v$dblink
    char name[LINK_NAME];
    unsigned open_cursors;
    bool in_transaction;
};

// Where an error is possible, false or NULL is returned with `error` set.
struct remote_calls {
    // Parses the query at the other end of the link, after connecting to it.
    struct remote_query *(*parse)(struct remote *remote, const char *link,
                                  const char *sql, size_t length,
                                  unsigned binds, struct ora_error *error);
    // Its columns; `type` is that of the wire.
    unsigned (*columns)(const struct remote_query *query,
                        const struct column **column);
    // Executes it, and fetches its first `rows` rows; 0: none yet.
    bool (*execute)(struct remote_query *query, struct sqlite3_value **value,
                    unsigned values, uint32_t rows, struct ora_error *error);
    // The next row; `*found` is false after the last one.
    bool (*next)(struct remote_query *query, uint32_t rows, bool *found,
                 struct ora_error *error);
    // A value of that row, valid until the next one.
    bool (*value)(struct remote_query *query, unsigned column,
                  struct bind_value *value, struct ora_error *error);
    void (*close)(struct remote_query *query);
    // Packets on their way arrive: no server waits for us between two calls.
    void (*settle)(struct remote *remote);
    bool (*in_transaction)(const struct remote *remote);
    bool (*end_transaction)(struct remote *remote, bool commit,
                            struct ora_error *error);
    bool (*close_link)(struct remote *remote, const char *link,
                       struct ora_error *error);
    bool (*status)(const struct remote *remote, int row,
                   struct remote_link_status *to);
    void (*end)(struct remote *remote); // the session is over
};

enum { OPEN_LINKS = 4 };

// remote_tables.c: a remote table becomes one of SQLite's, "OWNER.TABLE@LINK",
// with the columns that it has now.
bool remote_table(struct database *database, const char *link,
                  const char *owner, const char *table, char name[REMOTE_NAME],
                  take_column_of *take, void *to, struct ora_error *error);
// A whole query becomes one: its placeholders are the table's arguments.
// Returns its number, or 0.
unsigned remote_query_table(struct database *database, const char *link,
                            const char *sql, size_t length, unsigned binds,
                            take_column_of *take, void *to,
                            struct ora_error *error);
void remote_query_table_drop(struct database *database, unsigned number);

#endif
