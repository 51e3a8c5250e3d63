// SPDX-License-Identifier: GPL-2.0-or-later
// From a statement's text to its tree.
#ifndef ORALAB_PARSE_H
#define ORALAB_PARSE_H

#include "sql/parse/tree.h"

// Reads the tokens of `text`. False after refusing.
bool parse_read(struct statement *s, const char *text, size_t length);
// The tree of the tokens, in s->tree. False after refusing.
bool parse_tree(struct statement *s);
// Frees the tokens and the tree.
void parse_free(struct statement *s);

// grammar.y
void parse_tokens(struct statement *s);
// Whether a token of the grammar could come next; only while it refuses one.
bool parse_accepts(const void *parser, int token);

// For the grammar's actions.
void parse_unexpected(struct statement *s, const void *parser, int token);
// The number at a token, for seconds and sizes; refuses what is none.
int parse_number(struct statement *s, unsigned token);
// The token of the literal that limits a window's frame.
unsigned parse_bound(struct statement *s, const struct expr *value);
void parse_check_type(struct statement *s, const struct type_name *type);
struct query *parse_end_query(struct statement *s, struct query *body,
                              struct with *with, struct order_terms order,
                              struct row_limit limit);

#endif
