// SPDX-License-Identifier: GPL-2.0-or-later
// Translates Oracle SQL to SQLite's. A statement that SQLite cannot express is
// refused; nothing is passed on that SQLite would silently answer differently.
#ifndef ORALAB_TRANSLATE_H
#define ORALAB_TRANSLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "process/sequence.h"
#include "sql/parse/limits.h"
#include "sql/parse/placeholders.h"
#include "sql/resolve/catalog.h"

enum statement_kind {
    STATEMENT_QUERY,
    STATEMENT_INSERT,
    STATEMENT_UPDATE,
    STATEMENT_MERGE,
    STATEMENT_DELETE,
    STATEMENT_DDL,
    STATEMENT_COMMIT,
    STATEMENT_ROLLBACK,
    STATEMENT_SAVEPOINT,
    STATEMENT_ROLLBACK_TO, // a savepoint
    STATEMENT_SESSION,     // ALTER SESSION, SET TRANSACTION
    STATEMENT_LINK,        // CREATE and DROP DATABASE LINK
    STATEMENT_LOCK,        // LOCK TABLE
    STATEMENT_CREATE_SEQUENCE,
    STATEMENT_DROP_SEQUENCE,
    STATEMENT_BLOCK, // PL/SQL; its SQL gives the values of its placeholders
    STATEMENT_UNIT,  // CREATE and DROP of PL/SQL
};

enum {
    MOST_COLUMNS = 1000,
    MOST_BLOCK_BINDS = 2000,
};

struct expr;
struct statement;

struct translation {
    enum statement_kind kind;
    char *sql; // from malloc; NULL for the kinds that run no SQL
    // In textual order; placeholder N is ?N in `sql`.
    unsigned binds;
    struct placeholder *bind; // from malloc
    bool locks;               // a query FOR UPDATE
    int result_cache; // 1: the hint RESULT_CACHE, -1: NO_RESULT_CACHE, else 0
    bool gathers;     // the hint GATHER_PLAN_STATISTICS
    bool annotates;   // ALTER TABLE ... RESULT_CACHE
    bool forces;      // or CREATE TABLE: with MODE FORCE
    bool skips_locked;
    int lock_wait; // seconds that it waits for a lock; -1: without limit
    // Placeholders [from, to) are targets of the RETURNING of a change.
    unsigned into_from, into_to;
    // Per column of a query, its type (enum operand_type); 0: unknown.
    uint8_t column[MOST_COLUMNS];
    unsigned columns;
    // Whether it has a set operator: SQLite declares the columns of a set as
    // one of its queries does, but they hold the values of all.
    bool sets;
    struct sequence sequence;         // of the two kinds that make or drop one
    char savepoint[LONGEST_NAME + 1]; // of the two kinds that name one
    unsigned remote_query; // the query is this remote one; see remote.h
    struct link_change
        *link; // of STATEMENT_LINK, from malloc; see link_change.h
    // of CREATE TABLE name AS query: offsets in `sql`; 0: no such statement
    size_t name_to, query_at;
    // of CREATE OR REPLACE and of clusters: where the second statement, or the
    // one behind the query, begins in `sql`; 0: none
    size_t second_at;
    unsigned error;              // an ORA- number, 0: translated
    size_t error_at;             // where it is in the statement, in bytes
    char about[LONGEST_SUBJECT]; // the error's
};

// `schema` is the schema of new tables. Without a `catalog` (NULL) no column
// has a known type. `known` are the types of the placeholders' values, or NULL.
// `result` is always to be given to translation_free().
void translation_make(const char *oracle, size_t length, const char *schema,
                      const struct catalog *catalog, const uint8_t *known,
                      struct translation *result);
// An expression of PL/SQL as a query of its value, from malloc; NULL after
// refusing it. Its EXPR_VARIABLEs are binds.
char *translation_of_expression(struct statement *s, const char *schema,
                                const struct catalog *catalog,
                                struct expr *value, bool condition);
void translation_free(struct translation *result);

#endif
