// SPDX-License-Identifier: GPL-2.0-or-later
// A statement as an array of tokens, and the text being made from it.
#ifndef ORALAB_SOURCE_H
#define ORALAB_SOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "sql/lexer.h"
#include "sql/translate.h"

struct translator {
    struct token *tokens; // ends with a TOKEN_END
    size_t *close;        // of an opening parenthesis: where it is closed
    size_t count;
    bool ordered;           // the hint: joins in the order of the FROM clause
    bool rownum_allowed;    // in a select list
    const char *own_schema; // where new tables go, quoted
    char *text;
    size_t length;
    size_t room;
    struct translation *result;
};

// Reads the whole statement. False after reporting an error.
bool source_read(struct translator *t, const char *oracle, size_t length);
void source_free(struct translator *t);

// Reports the first error; later ones change nothing.
void refuse(struct translator *t, unsigned error, const char *about);
void refuse_token(struct translator *t, unsigned error, size_t token);

bool is(const struct translator *t, size_t token, const char *word);
// The first token in [from, to) outside parentheses that is `word`, else `to`.
size_t find(const struct translator *t, size_t from, size_t to,
            const char *word);
// The token after `at`, or after what is in parentheses if one opens at `at`.
size_t past(const struct translator *t, size_t at);

void say(struct translator *t, const char *text);
void say_part(struct translator *t, const char *text, size_t length);

// expression.c: everything that is not the frame of a query block.
void say_tokens(struct translator *t, size_t from, size_t to);
// A literal; one of more digits than can be kept is refused.
void say_number(struct translator *t, size_t token);
// arithmetic.c: where the operators and values that start at `at` end; `at`
// when there is no operator.
size_t arithmetic_end(const struct translator *t, size_t at, size_t to);
void say_arithmetic(struct translator *t, size_t from, size_t to);
// Counts the bind at `token` as a placeholder. Returns its number, from 1.
unsigned placeholder(struct translator *t, size_t token);
// query.c: SELECT ..., WITH ... SELECT ...
void say_query(struct translator *t, size_t from, size_t to);
// SELECT and its list, [from, to), which begins with the keyword.
void say_select_list(struct translator *t, size_t from, size_t to);
// ddl.c: false when it is no such statement.
bool say_ddl(struct translator *t);
// block.c: BEGIN ... END
void say_plsql(struct translator *t);
// rownum.c
bool where_limits_rows(const struct translator *t, size_t from, size_t to);
// Says the WHERE clause without its conditions on ROWNUM ...
void say_where(struct translator *t, size_t from, size_t to);
// ... and these as a LIMIT.
void say_limit(struct translator *t, size_t from, size_t to);

#endif
