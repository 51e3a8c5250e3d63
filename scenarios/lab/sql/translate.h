// SPDX-License-Identifier: GPL-2.0-or-later
// Oracle SQL to SQLite's. What it cannot say in SQLite it refuses; it never
// lets through what SQLite would answer differently and silently.
#ifndef ORALAB_TRANSLATE_H
#define ORALAB_TRANSLATE_H

#include <stdbool.h>
#include <stddef.h>

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

enum { BIND_NAME = 32, MOST_BINDS = 1000 };

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
    unsigned error;  // an ORA- number, 0: translated
    char about[128]; // what the error is about
};

// `schema` is where new tables go. Always to be given to translation_free().
void translate(const char *oracle, size_t length, const char *schema,
               struct translation *result);
void translation_free(struct translation *result);

#endif
