// SPDX-License-Identifier: GPL-2.0-or-later
// Values of PL/SQL's variables. Memory allocated by SQLite counts as the
// session's private memory (pga.h), and so does all of this.
#ifndef ORALAB_PLSQL_VALUE_H
#define ORALAB_PLSQL_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ora_error;
struct plsql_query;
struct sqlite3_stmt;
struct sqlite3_value;
struct type;

// A NUMBER that is a 64-bit integer, or a BOOLEAN, is `integer`; any other
// value is one of SQLite's, which `owned` ones are freed with.
struct scalar {
    enum { SCALAR_NULL, SCALAR_INTEGER, SCALAR_VALUE } kind;
    bool owned;
    int64_t integer;
    struct sqlite3_value *value;
};

struct value {
    struct scalar scalar;
    struct value *field; // of a record
    struct table *table;
    struct plsql_query *query; // an open cursor
};

struct element {
    int64_t key;
    char *text; // the key, of a table by text
    struct value value;
};

struct table { // elements in the order of their keys
    struct element *element;
    size_t count, room;
    // Without INDEX BY: its last subscript. A deleted element keeps its own.
    int64_t top;
};

// A copy that is owned. False without memory.
bool scalar_copy(const struct scalar *from, struct scalar *to);
bool scalar_of_value(struct sqlite3_value *from, struct scalar *to);
void scalar_free(struct scalar *scalar);
int scalar_bind(struct sqlite3_stmt *statement, int at,
                const struct scalar *scalar);

// NULL of that type, with room for the fields of a record.
bool value_begin(struct value *value, const struct type *type);
void value_free(struct value *value, const struct type *type);
// `to` becomes a copy; it has a value already.
bool value_copy(const struct value *from, struct value *to,
                const struct type *type);

// Where the key is, or would be.
size_t table_place(const struct table *table, int64_t key, const char *text,
                   bool *found);
// An empty table in the place of none. False without memory.
bool table_begin(struct value *of);
// The element of the key, which is made if there is none; NULL without memory.
struct value *table_make(struct value *of, const struct type *type, int64_t key,
                         const char *text);
void table_remove(struct value *of, const struct type *type, size_t from,
                  size_t to);

// query.c
void plsql_query_release(struct plsql_query *query);
struct plsql_query *plsql_query_share(struct plsql_query *query);

#endif
