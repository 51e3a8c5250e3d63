// SPDX-License-Identifier: GPL-2.0-or-later
// Translates Oracle SQL to SQLite's. What SQLite cannot express is refused;
// nothing is passed on that SQLite would silently answer differently.
#ifndef ORALAB_TRANSLATE_H
#define ORALAB_TRANSLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sql/parse/placeholders.h"
#include "sql/resolve/catalog.h"

enum statement_kind {
    STATEMENT_QUERY,
    STATEMENT_INSERT,
    STATEMENT_UPDATE,
    STATEMENT_DELETE,
    STATEMENT_DDL,
    STATEMENT_COMMIT,
    STATEMENT_ROLLBACK,
    STATEMENT_SESSION, // ALTER SESSION, SET TRANSACTION
    STATEMENT_LINK,    // CREATE and DROP DATABASE LINK
    // PL/SQL: an empty block, one SELECT ... INTO binds, OPENs of cursors, or
    // calls that name the session's work
    STATEMENT_BLOCK,
};

enum {
    MOST_COLUMNS = 1000,
    MOST_OPENED = 16,
    MOST_OPENED_BINDS = 64,
    NO_PLACEHOLDER = 0xffff,
};

// OPEN cursor FOR query, in a block.
struct opened_query {
    unsigned target; // the placeholder of the cursor; NO_PLACEHOLDER: none is,
    bool returned;   // but DBMS_SQL.RETURN_RESULT returns it
    char *query;     // from malloc; the block's variables are binds in it
    size_t query_length;
    // The block's placeholder for each of the query's; NO_PLACEHOLDER: NULL.
    unsigned bind[MOST_OPENED_BINDS];
    unsigned binds;
};

struct translation {
    enum statement_kind kind;
    char *sql; // from malloc; NULL for the kinds that run no SQL
    // In textual order; placeholder N is ?N in `sql`.
    unsigned binds;
    struct placeholder *bind; // from malloc
    bool locks;               // a query FOR UPDATE
    int result_cache; // 1: the hint RESULT_CACHE, -1: NO_RESULT_CACHE, else 0
    int lock_wait;    // seconds that it waits for a lock; -1: without limit
    // Placeholders [from, to) are targets of the INTO of a block, or of the
    // RETURNING of a change.
    unsigned into_from, into_to;
    struct opened_query opened[MOST_OPENED]; // of a block
    unsigned opens;
    // Of a block: the query in it, as PL/SQL executes it; from malloc, or NULL.
    char *query;
    // Per column of a query, its type (enum operand_type); 0: unknown.
    uint8_t column[MOST_COLUMNS];
    unsigned columns;
    // Whether it has a set operator: SQLite declares the columns of a set as
    // one of its queries does, but they hold the values of all.
    bool sets;
    unsigned remote_query; // the query is this remote one; see remote.h
    struct link_change
        *link; // of STATEMENT_LINK, from malloc; see link_change.h
    // of CREATE TABLE name AS query: offsets in `sql`; 0: no such statement
    size_t name_to, query_at;
    unsigned error;  // an ORA- number, 0: translated
    size_t error_at; // where it is in the statement, in bytes
    char about[128]; // the error's subject
};

// `schema` is the schema of new tables. Without a `catalog` (NULL) no column
// has a known type. `known` are the types of the placeholders' values, or NULL.
// `result` is always to be given to translation_free().
void translation_make(const char *oracle, size_t length, const char *schema,
                      const struct catalog *catalog, const uint8_t *known,
                      struct translation *result);
void translation_free(struct translation *result);

#endif
