// SPDX-License-Identifier: GPL-2.0-or-later
// A statement on its way from text to SQLite's SQL: its tokens, its tree, and
// the first error. The tokens are numbered; the tree refers to them.
#ifndef ORALAB_STATEMENT_H
#define ORALAB_STATEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sql/parse/limits.h"
#include "sql/parse/lexer.h"
#include "sql/parse/memory.h"
#include "sql/parse/placeholders.h"

struct expr;
struct tree;

enum { LARGEST_NODE = 512 };

struct statement {
    struct tree_memory memory;
    _Alignas(16) char reserve[LARGEST_NODE]; // for who finds no memory
    struct token *tokens;                    // ends with a TOKEN_END
    const char *text;
    unsigned count;
    unsigned room; // of `tokens`
    unsigned own;  // tokens of its own text; behind them are those of views
    struct placeholder *bind; // from malloc
    unsigned binds;
    unsigned parsed; // the token that is being parsed
    bool plsql;      // a block, or a stored unit of PL/SQL
    bool ordered;    // a hint requests joins in the order of FROM
    bool gathers;    // the hint GATHER_PLAN_STATISTICS
    // 1: the hint RESULT_CACHE, -1: NO_RESULT_CACHE, 0: neither
    int result_cache;
    struct tree *tree;
    uint64_t work; // done so far: see statement_work()
    // Whether the client wants the call stopped; may be NULL.
    bool (*is_cancelled)(void *data);
    void *data; // for `is_cancelled`
    // SQL in PL/SQL: makes a name of no column an EXPR_VARIABLE, if it is one
    // of the `block`. NULL: it is in none.
    bool (*variable)(struct statement *s, struct expr *value, void *block);
    void *block;
    unsigned error;              // an ORA- number; 0: none
    unsigned error_at;           // the token that it is about
    char about[LONGEST_SUBJECT]; // the error's
};

// Records an ORA- error about the token; only the first one counts.
void statement_refuse(struct statement *s, unsigned error, unsigned token,
                      const char *about);
// The same with the token's text as its subject.
void statement_refuse_token(struct statement *s, unsigned error,
                            unsigned token);
// The same with the name as the dictionary spells it.
void statement_refuse_name(struct statement *s, unsigned error, unsigned first,
                           unsigned last);

// An error of PL/SQL's compiler about the token: ORA-06550 with its place.
// `pls` is "PLS-00201: identifier 'X' must be declared" and the like.
void statement_refuse_plsql(struct statement *s, unsigned token,
                            const char *pls);
// Where the token is in the text, from 1.
void statement_place(const struct statement *s, unsigned token, unsigned *line,
                     unsigned *column);

// Counts work; a unit is about the comparison of two names. Bounds the
// statement, and lets the client cancel it: either is an error.
void statement_work(struct statement *s, size_t units);

// Zeroed memory of up to LARGEST_NODE bytes that lives as long as the
// statement. Without memory it refuses the statement and returns memory that
// nothing may be read from.
void *statement_take(struct statement *s, size_t bytes);

// Whether the token is this keyword or sign, in any case.
bool statement_is(const struct statement *s, unsigned token, const char *word);

// Names as the dictionary has them: unquoted ones in capitals.
char name_letter(const struct token *name, size_t i);
bool name_spells(const struct token *token, const char *name);
bool name_equals(const struct token *a, const struct token *b);
// A name of several parts, which are the tokens first, first + 2 ... last, with
// points between them. Refuses a name that does not fit into `size` bytes.
void statement_spell(struct statement *s, unsigned first, unsigned last,
                     char *to, size_t size);
// Cut to LONGEST_NAME.
void name_spell(const struct token *token, char to[LONGEST_NAME + 1]);

#endif
