// SPDX-License-Identifier: GPL-2.0-or-later
// One SELECT with its clauses.
#ifndef ORALAB_QUERY_BLOCK_H
#define ORALAB_QUERY_BLOCK_H

#include "sql/source.h"

struct query_block { // each part is [.._from, .._to), without its keyword
    size_t list_from, list_to;
    size_t from_from, from_to;
    size_t where_from, where_to;
    size_t connect_from, connect_to;
    // GROUP BY, HAVING and ORDER BY with their keywords
    size_t rest_from, rest_to;
    bool distinct;
};

// The first token in [from, to) outside parentheses that is one of the words.
size_t source_find_any(const struct translator *t, size_t from, size_t to,
                       const char *const *words);
// Appends an item to t->item. NULL after refusing.
struct item *select_list_add(struct translator *t);
// select_list.c: SELECT and its list
void emit_select_list(struct translator *t, const struct query_block *b);
// tables.c: the FROM clause
void emit_from(struct translator *t, const struct query_block *b);
// join_using.c: refuses qualified names of columns joined by USING
void join_using_check(struct translator *t, const struct query_block *b);
// query_block.c: the SELECT in [from, to); `compound`: a set operator's operand
void emit_query_block(struct translator *t, size_t from, size_t to,
                      bool compound);

// order_of_set.c: the ORDER BY in [from, to) of the set whose text begins at
// `begin`, and whose items are t->item
void emit_order_of_set(struct translator *t, size_t begin, size_t from,
                       size_t to);

#endif
