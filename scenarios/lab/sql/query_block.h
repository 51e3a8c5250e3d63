// SPDX-License-Identifier: GPL-2.0-or-later
// One SELECT with its clauses.
#ifndef ORALAB_QUERY_BLOCK_H
#define ORALAB_QUERY_BLOCK_H

#include "sql/source.h"

struct query_block { // each part [..from, ..to) without its keyword
    size_t list_from, list_to;
    size_t from_from, from_to;
    size_t where_from, where_to;
    size_t connect_from, connect_to;
    size_t rest_from, rest_to; // GROUP BY, HAVING, ORDER BY, with keywords
    bool distinct;
};

// The first token in [from, to) outside parentheses that is one of the words.
size_t first_of(const struct translator *t, size_t from, size_t to,
                const char *const *words);
// A new item at the end of t->item; NULL after refusing.
struct item *new_item(struct translator *t);
// select_list.c: SELECT and its list.
void say_list(struct translator *t, const struct query_block *b);
// tables.c: FROM and what follows it.
void say_from(struct translator *t, const struct query_block *b);
// join_using.c: refuses qualified names of columns that USING joins by.
void check_using(struct translator *t, const struct query_block *b);
// query_block.c: the SELECT that is [from, to); `compound` when it is one of a
// set.
void say_block(struct translator *t, size_t from, size_t to, bool compound);

#endif
