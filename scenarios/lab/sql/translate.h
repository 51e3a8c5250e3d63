// SPDX-License-Identifier: GPL-2.0-or-later
// Oracle SQL to SQLite's. What it cannot say in SQLite it refuses; it never
// lets through what SQLite would answer differently and silently.
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
    STATEMENT_SESSION, // ALTER SESSION, SET TRANSACTION: accepted
    STATEMENT_BLOCK,   // PL/SQL: nothing, or one SELECT ... INTO binds
};

enum { BIND_NAME = 32, MOST_BINDS = 1000, MOST_COLUMNS = 1000 };

struct translation {
    enum statement_kind kind;
    char *sql; // from malloc; NULL for the kinds that run no SQL
    // Placeholders in their order; the Nth one is ?N in `sql`. A name that
    // comes again has the number of its first place in `first`.
    unsigned binds;
    struct {
        char name[BIND_NAME];
        unsigned first;
    } bind[MOST_BINDS];
    bool locks;    // a query FOR UPDATE
    int lock_wait; // for so many seconds; -1: as long as it takes
    // Of a block: the placeholders that its INTO names.
    unsigned into_from, into_to;
    // Of each placeholder, the type (enum operand_type) that the SQL takes it
    // to have; 0: any. A value of another type needs a translation that knows
    // it.
    uint8_t expected[MOST_BINDS];
    // Of a query's columns, where that can be told; 0: not.
    uint8_t column[MOST_COLUMNS];
    unsigned columns;
    size_t name_to, query_at; // of CREATE TABLE name AS query; 0: it is none
    const uint8_t *known;     // as given
    unsigned error;           // an ORA- number, 0: translated
    char about[128];          // what the error is about
};

enum table_owner { NO_TABLE, OWN_TABLE, OTHERS_TABLE };

// Where translations learn what columns tables have.
struct catalog {
    void *data;
    // Tells `take` of each column of the table. `owner` is "" where the
    // statement names none: then the user's own come first.
    enum table_owner (*table)(void *data, const char *owner, const char *table,
                              void (*take)(void *to, const char *column,
                                           const char *declared, bool own),
                              void *to);
    // Whether the user has a table of that name but for its case.
    bool (*differs_in_case)(void *data, const char *table);
};

// `schema` is where new tables go. `catalog` may be NULL, then no column has a
// known type. `known` are the binds' types as in `expected`, or NULL. Always
// to be given to translation_free().
void translate(const char *oracle, size_t length, const char *schema,
               const struct catalog *catalog, const uint8_t *known,
               struct translation *result);
void translation_free(struct translation *result);

#endif
