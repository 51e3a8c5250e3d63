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
    bool windowed; // the block being resolved has a function with a window
    bool rownum_allowed, outer_allowed, sequences_allowed;
    bool in_set;          // or in a query with ORDER BY
    unsigned conditional; // CASEs and the like around the current place
    unsigned synonyms;    // of synonyms, around the current one
};

// scope.c: the type of a column, or of a function without parentheses.
void resolve_column(struct resolver *r, struct expr *column);
// hierarchy.c: CONNECT BY: before the block's values are resolved, and after.
void hierarchy_begin(struct resolver *r, struct block *block);
void hierarchy_resolve(struct resolver *r, struct block *block);
// LEVEL and the like: false if the column is none of them.
bool hierarchy_has_pseudo_column(struct resolver *r, struct expr *column);
// PRIOR, CONNECT_BY_ROOT, and SYS_CONNECT_BY_PATH, whose arguments are
// resolved.
void hierarchy_carry(struct resolver *r, struct expr *value);
// Whether a condition of WHERE joins tables, which is done before rows are
// connected.
bool hierarchy_joins(const struct block *block, const struct expr *condition);
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
// sequences.c: sequence.NEXTVAL
bool sequence_is_named(const struct resolver *r, struct name name);
void resolve_sequence(struct resolver *r, struct expr *value);
void resolve_create_sequence(struct resolver *r);
// stored.c: whether the call, or the name, is one of PL/SQL: of a variable of
// the block around, or a stored function.
bool resolve_stored(struct resolver *r, struct expr *value);
// calls.c
// Notes a function whose value depends on where it is called.
void note_site(const struct resolver *r, const struct function *function);
void resolve_call(struct resolver *r, struct expr *call);
// conditions.c
void resolve_condition(struct resolver *r, struct expr *condition);
// Whether SQLite's operators may compare these two.
bool resolve_comparable(struct resolver *r, struct expr *a, struct expr *b,
                        bool for_equality);
// Whether both are CHARs, or literals, and blanks at their ends do not count.
bool resolve_is_padded(const struct expr *a, const struct expr *b);
// rows.c: conditions of rows, and SET (a, b) = (query).
void resolve_row_condition(struct resolver *r, struct expr *condition);
void resolve_row_query(struct resolver *r, struct query *query, unsigned count);
// sources.c
void resolve_sources(struct resolver *r, struct block *block);
void resolve_table(struct resolver *r, struct source *source);
// table_function.c: TABLE(function)
void resolve_table_function(struct resolver *r, struct source *source);
// views.c: the user's view, or the object of a synonym, as the source; CREATE
// and DROP of them.
void resolve_view(struct resolver *r, struct source *source);
void resolve_synonym(struct resolver *r, struct source *source);
void resolve_view_definition(struct resolver *r);
// Refuses a name that has another owner than the user.
void resolve_own_name(struct resolver *r, struct name name);
// clusters.c: CREATE and DROP CLUSTER; the cluster of CREATE TABLE, whose
// columns have their types; ALTER TABLE of a table that may be in a cluster;
// whether the user's table is in one.
void resolve_create_cluster(struct resolver *r);
void resolve_drop_cluster(struct resolver *r);
void resolve_clustered(struct resolver *r);
void resolve_alter_clustered(struct resolver *r);
bool resolve_is_clustered(const struct resolver *r, struct name table);
// outer_joins.c: takes the conditions with (+) out of WHERE, for their tables.
void resolve_outer_joins(struct resolver *r, struct block *block);
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
// Refuses names that a grouped query may not use.
void grouping_check(struct resolver *r, const struct block *block);
bool grouping_same(const struct statement *s, const struct expr *a,
                   const struct expr *b);
// Whether GROUP BY `by` makes this value the same in all rows of a group.
bool grouping_is_by(const struct statement *s, const struct expr *by,
                    const struct expr *value);
// rollup.c
void rollup_resolve(struct resolver *r, struct block *block);
// How many sets of groups there are; each is a mask of levels, the first the
// lowest bit.
uint64_t rollup_count(const struct block *block);
uint64_t rollup_set(const struct block *block, uint64_t n);
bool rollup_has(uint64_t set, const struct expr *group);
// Whether the value is one of the groups, but not of those of the set: the
// ROLLUP's NULL.
bool rollup_is_null(const struct statement *s, const struct block *block,
                    uint64_t set, const struct expr *value);
// rownum.c: the bound of a condition on ROWNUM, and its sign; NULL: it is none.
struct expr *rownum_bound(const struct expr *condition, enum sign *sign);
bool rownum_limits(const struct expr *where);
// type_names.c: fills in `declared`, in the form that column_type_of() reads.
void type_name_of_cast(struct resolver *r, struct type_name *type);
void type_name_of_column(struct resolver *r, struct type_name *type);
// A query that a change or a block contains, WHERE of a change.
void resolve_where(struct resolver *r, struct expr *where);
// changes.c, definitions.c
void resolve_change(struct resolver *r);
void resolve_merge(struct resolver *r);
// The table that a statement changes; INSERT's columns, and how many there are;
// the column of the table that a name denotes.
void resolve_target(struct resolver *r);
unsigned resolve_column_list(struct resolver *r);
const struct column_def *resolve_target_column(struct resolver *r,
                                               struct name name);
void resolve_returning(struct resolver *r);
void resolve_definition(struct resolver *r);

#endif
