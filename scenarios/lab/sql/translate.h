// SPDX-License-Identifier: GPL-2.0-or-later
// Translates Oracle SQL to SQLite's. What SQLite cannot express is refused;
// nothing is passed on that SQLite would silently answer differently.
#ifndef ORALAB_TRANSLATE_H
#define ORALAB_TRANSLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
    BIND_NAME = 32,
    MOST_BINDS = 65535, // Oracle's; SQLite is built for as many
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

struct placeholder {
    char name[BIND_NAME];
    unsigned first; // the index of the first one of the same name
    // The type (enum operand_type) that the SQL was emitted for; 0: any. A
    // value of another type needs a new translation that knows it.
    uint8_t expected;
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
    unsigned remote_query;    // the query is this remote one; see remote.h
    struct link_change *link; // of STATEMENT_LINK, from malloc; see link_ddl.h
    // of CREATE TABLE name AS query: offsets in `sql`; 0: no such statement
    size_t name_to, query_at;
    const uint8_t *known; // the argument `known`
    uint64_t work;        // done so far: see source.c
    unsigned error;       // an ORA- number, 0: translated
    char about[128];      // the error's subject
};

enum table_owner {
    NO_TABLE,
    OWN_TABLE,
    OTHERS_TABLE,
    DICTIONARY_VIEW,
    REMOTE_TABLE,
};

// A bit of what is kept with the token that names a table: it was looked up.
enum { TABLE_LOOKED_UP = 0x80 };

// Takes a column of a table.
typedef void take_column_of(void *to, const char *column, const char *declared,
                            bool own);

// The source of tables' columns for a translation.
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
    // A table at the other end of a link. Returns 0, or an error's number.
    // NULL: there are no links.
    unsigned (*remote_table)(void *data, const char *link, const char *owner,
                             const char *table, take_column_of *take, void *to);
    // A whole query there; `*number` is given to it.
    unsigned (*remote_query)(void *data, const char *link, const char *sql,
                             size_t length, unsigned binds, unsigned *number,
                             take_column_of *take, void *to);
    // Whether the client wants the call stopped: then the translation ends with
    // ORA-01013. May be NULL.
    bool (*is_cancelled)(void *data);
};

// `schema` is the schema of new tables. Without a `catalog` (NULL) no column
// has a known type. `known` are the types of the placeholders' values, or NULL.
// `result` is always to be given to translation_free().
void translation_make(const char *oracle, size_t length, const char *schema,
                      const struct catalog *catalog, const uint8_t *known,
                      struct translation *result);
void translation_free(struct translation *result);

#endif
