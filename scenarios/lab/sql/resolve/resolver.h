// SPDX-License-Identifier: GPL-2.0-or-later
// Interfaces between the files that resolve a tree.
#ifndef ORALAB_RESOLVER_H
#define ORALAB_RESOLVER_H

#include "sql/resolve/resolve.h"

// Where a name is searched for: the tables of a query, then those around it.
struct scope {
    const struct scope *outer;
    struct source *sources;
    const struct block *block;   // NULL: of a change
    const struct items *aliases; // ORDER BY finds these, too
};

struct with_scope {
    const struct with_scope *outer;
    const struct with *with;
};

struct resolver {
    struct statement *s;
    const struct catalog *catalog;
    const char *schema;
    const struct scope *scope;
    const struct with_scope *withs; // that a FROM may name
    unsigned depth;                 // of the recursion
    unsigned queries;               // around the current place
    unsigned aggregates;            // around the current place
    bool rownum_allowed;
    const struct block *into; // the one that may have INTO
};

// scope.c: the type of a column, or of a function without parentheses.
void resolve_column(struct resolver *r, struct expr *column);
// rowid.c: the column ROWID.
void resolve_rowid(struct resolver *r, struct expr *column);
// Whether the name's qualifier, if it has one, denotes this table.
bool scope_is_called(const struct resolver *r, const struct source *source,
                     struct name name);
const struct column_def *scope_find(const struct column_defs *columns,
                                    const struct token *name);

// values.c
// Counts one more level of recursion, which `depth` is decremented after. False
// after refusing: emission will recurse as deep.
bool resolve_enter(struct resolver *r, unsigned token);
void resolve_value(struct resolver *r, struct expr *value);
void resolve_values(struct resolver *r, struct exprs *list);
// Notes that the value, if it is a bind of unknown type, has this type.
void resolve_expect(struct resolver *r, struct expr *value,
                    enum operand_type type);
// The common type; unknown after refusing two types that exclude each other.
enum operand_type resolve_common_type(struct resolver *r, enum operand_type a,
                                      enum operand_type b);
// Merges the type of a CASE's further result into *type.
void resolve_merge_type(struct resolver *r, enum operand_type *type,
                        const struct expr *more);
// calls.c
// Notes a function whose value depends on where it is called.
void note_site(const struct resolver *r, const struct function *function);
void resolve_call(struct resolver *r, struct expr *call);
// conditions.c
void resolve_condition(struct resolver *r, struct expr *condition);
// Whether SQLite's operators may compare these two.
bool resolve_comparable(struct resolver *r, struct expr *a, struct expr *b,
                        bool for_equality);
// sources.c
void resolve_sources(struct resolver *r, struct block *block);
void resolve_table(struct resolver *r, struct source *source);
// queries.c
void resolve_query(struct resolver *r, struct query *query);
void columns_append(struct resolver *r, struct column_defs *list,
                    const struct column_def *one);
// Whether two columns have the name, or any two have one (`name` NULL).
bool columns_have_twice(struct resolver *r, const struct column_defs *columns,
                        const struct token *name);
// order.c
void resolve_order(struct resolver *r, struct order_terms *order,
                   struct block *block);
void resolve_window_order(struct resolver *r, struct order_terms *order);
void resolve_set_order(struct resolver *r, struct query *query);
// grouping.c
bool grouping_has_aggregate(const struct statement *s,
                            const struct expr *value);
bool grouping_list_has_aggregate(const struct statement *s,
                                 const struct items *items);
// Refuses what a grouped query may not name.
void grouping_check(struct resolver *r, const struct block *block);
bool grouping_same(const struct statement *s, const struct expr *a,
                   const struct expr *b);
// rownum.c: the bound of a condition on ROWNUM, and its sign; NULL: it is none.
struct expr *rownum_bound(const struct expr *condition, enum sign *sign);
bool rownum_limits(const struct expr *where);
// type_names.c: fills in `declared`, in the form that column_type_of() reads.
void type_name_of_cast(struct resolver *r, struct type_name *type);
void type_name_of_column(struct resolver *r, struct type_name *type);
// A query that a change or a block contains, WHERE of a change.
void resolve_where(struct resolver *r, struct expr *where);
// changes.c, definitions.c, plsql.c
void resolve_change(struct resolver *r);
void resolve_returning(struct resolver *r);
void resolve_definition(struct resolver *r);
void resolve_plsql(struct resolver *r);

#endif
