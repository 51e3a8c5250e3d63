// SPDX-License-Identifier: GPL-2.0-or-later
// From a statement's text to its tree.
#ifndef ORALAB_PARSE_H
#define ORALAB_PARSE_H

#include "sql/parse/plsql_tree.h"

// Reads the tokens of `text`. False after refusing.
bool parse_read(struct statement *s, const char *text, size_t length);
// The tree of the tokens, in s->tree. False after refusing.
bool parse_tree(struct statement *s);
// The tree of another text, whose tokens are put behind those of the statement:
// that of a view. NULL after refusing. The text must live as long as the tree.
struct tree *parse_more(struct statement *s, const char *text, size_t length);
// Frees the tokens and the tree.
void parse_free(struct statement *s);

// grammar.y
// Parses the tokens from `from` on.
void parse_tokens(struct statement *s, unsigned from);
// Whether a token of the grammar could come next; only while it refuses one.
bool parse_accepts(const void *parser, int token);

// For the grammar's actions.
void parse_unexpected(struct statement *s, const void *parser, int token);
// The number at a token, for seconds and sizes; refuses anything else.
int parse_number(struct statement *s, unsigned token);
// The token of the literal that limits a window's frame.
unsigned parse_bound(struct statement *s, const struct expr *value);
// Tells which sets of groups they make.
struct exprs parse_sets(struct exprs list, enum group_sets sets);
// Gives the expressions this level of a ROLLUP.
// = ANY is IN, and <> ALL is NOT IN; refuses the others.
void parse_quantified(struct statement *s, enum sign sign, unsigned word);
struct exprs parse_level(struct exprs list, unsigned level);
// GROUP BY a, b; one of them may be a ROLLUP.
struct exprs parse_join_groups(struct statement *s, struct exprs a,
                               struct exprs b);
struct merge *parse_merge(struct statement *s);
void parse_check_type(struct statement *s, const struct type_name *type);
// Refuses RESULT_CACHE where nothing has it; 0: it is not there.
void parse_no_result_cache(struct statement *s, unsigned token);
// A word behind a routine's head, such as DETERMINISTIC.
void parse_right(struct statement *s, unsigned token);
// Refuses a target of INTO that is no bind, unless it is in PL/SQL.
void parse_target(struct statement *s, const struct expr *target);
// The kind of type that %TYPE or %ROWTYPE denotes.
int parse_type_attribute(struct statement *s, unsigned token);
bool parse_is_text_type(const struct statement *s, const struct type_ref *type);
// FORCE, EDITIONABLE and the like.
void parse_object_word(struct statement *s, unsigned word);
// clusters.c: refuses a property of CREATE TABLE.
void parse_table_property(struct statement *s, unsigned property);
// HASHKEYS and SIZE of CREATE CLUSTER, and the unit behind a size.
void parse_cluster_number(struct statement *s, unsigned word, unsigned number);
void parse_cluster_unit(struct statement *s, unsigned unit);
struct query *parse_end_query(struct statement *s, struct query *body,
                              struct with *with, struct order_terms order,
                              struct row_limit limit);

#endif
