// SPDX-License-Identifier: GPL-2.0-or-later
// A query at the other end of a link, and its rows.
//
// Rows are taken from the packets as they come: the rows of a fetch are on
// their way while the first of them are used. Where another call has to be made
// on the same connection, those that are left are kept.
#ifndef ORALAB_QUERY_H
#define ORALAB_QUERY_H

#include "link/connection.h"
#include "sql/execute/cursor.h"
#include "ttc/bind_values.h"

struct sqlite3_value;
struct kept_row;
struct remote;

struct remote_query {
    struct remote *remote; // of its session
    struct connection *connection;
    char *sql;
    size_t length;
    unsigned binds;
    unsigned cursor; // its number there; 0: it is not parsed
    struct column *column;
    struct bind_type *type; // of each column, as values are read
    unsigned columns;
    bool executed;
    bool fetching; // the answer to a fetch has not been read to its end
    bool at_end;
    uint32_t rows;         // of the answer that is being read
    struct bytes *value;   // of the current row
    struct arena arena[2]; // of this row, or those kept, and of the one before
    unsigned turn;         // the arena of this row
    struct kept_row *kept; // rows that came before they were fetched
    uint8_t repeated[128]; // bits of the columns that the next row has
    bool has_repeated;     // and else the values of this one
};

// Each returns false with the connection's error.
bool query_parse(struct remote_query *query);
bool query_execute(struct remote_query *query, struct sqlite3_value **value,
                   unsigned values, uint32_t rows);
bool query_next(struct remote_query *query, uint32_t rows, bool *found);
// Reads the rest of the answer that is on its way, and keeps its rows.
bool query_settle(struct connection *connection);
void query_free(struct remote_query *query);

// describe.c: the columns of a DESCRIBE, after its type. A query that has been
// described before must have the same types.
bool query_describe(struct remote_query *query);
bool query_is_typed(const struct remote_query *query);
// bind_out.c: the descriptions of binds, and their values; NULL: each is NULL.
bool query_out_binds(struct connection *c, struct sqlite3_value **value,
                     unsigned values);
void query_out_bind_values(struct connection *c, struct sqlite3_value **value,
                           unsigned values);

#endif
