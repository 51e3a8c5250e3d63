// SPDX-License-Identifier: GPL-2.0-or-later
// Interfaces between the files that write a resolved tree as SQLite's SQL. Each
// value begins with a blank.
#ifndef ORALAB_EMITTER_H
#define ORALAB_EMITTER_H

#include "sql/emit/translate.h"
#include "sql/parse/tree.h"

struct emitter {
    struct statement *s;
    const char *schema; // of the user's tables, quoted
    const struct catalog *catalog;
    struct translation *result;
    char *text; // from malloc
    size_t length, room;
    // The ROLLUP or the like of which one set is being written, or NULL.
    const struct block *rollup;
    uint64_t set;
};

// text.c
void emit_text(struct emitter *e, const char *text);
void emit_bytes(struct emitter *e, const char *text, size_t length);
// Text that is a name of SQLite's.
void emit_identifier(struct emitter *e, const char *name);
// Text as a literal.
// A literal of the statement, as SQLite writes one.
void emit_literal_token(struct emitter *e, unsigned token);
void emit_string(struct emitter *e, const char *text, size_t length);
// A name in quotes.
void emit_name(struct emitter *e, unsigned token);
// The parts of a name, with points between them.
void emit_qualified_name(struct emitter *e, struct name name);
void emit_names(struct emitter *e, const struct names *names);

// values.c
void emit_value(struct emitter *e, const struct expr *value);
void emit_values(struct emitter *e, const struct exprs *list);
void emit_number(struct emitter *e, const struct expr *number);
// SQLite's number of the row that a column ROWID names.
void emit_row_number(struct emitter *e, const struct expr *rowid);
// calls.c, forms.c
void emit_call(struct emitter *e, const struct expr *call);
void emit_form(struct emitter *e, const struct expr *call);
// A function of PL/SQL.
void emit_stored(struct emitter *e, const struct expr *call);
// conditions.c
void emit_condition(struct emitter *e, const struct expr *condition);
const char *emit_sign_of(enum sign sign);
// `native`: by SQLite's own operator.
void emit_comparison(struct emitter *e, const struct expr *a,
                     const struct expr *b, enum sign sign, bool native);
// rows.c: conditions of rows, and SET (a, b) = (query).
void emit_row_condition(struct emitter *e, const struct expr *condition);
// The only row of the query, as "ROW$"(C0, C1 ...), and the beginning of its
// values.
void emit_only_row(struct emitter *e, const struct query *query,
                   unsigned count);
// queries.c
void emit_query(struct emitter *e, const struct query *query);
void emit_items(struct emitter *e, const struct block *block);
// GROUP BY those of a set of a ROLLUP.
void emit_groups(struct emitter *e, const struct block *block, uint64_t set);
void emit_block(struct emitter *e, const struct block *block, bool compound);
// rollup.c: the sets of a ROLLUP's groups, one after the other.
void emit_rollup(struct emitter *e, const struct block *block);
// hierarchy.c: FROM, a column in it, LEVEL and the like, a row's carried
// values, and the part of WHERE that joins tables or the other one.
void emit_hierarchy(struct emitter *e, const struct block *block);
void emit_hierarchy_column(struct emitter *e, const struct expr *column);
void emit_pseudo_column(struct emitter *e, const struct expr *column);
void emit_carried(struct emitter *e, const struct expr *value);
void emit_hierarchy_where(struct emitter *e, const struct block *block,
                          bool joining);
void emit_hierarchy_star(struct emitter *e, const struct block *block,
                         const struct item *item);
// rownum.c: WHERE without its conditions on ROWNUM, and those as a LIMIT.
void emit_where(struct emitter *e, const struct expr *where);
void emit_rownum_limit(struct emitter *e, const struct expr *where);
// order.c
void emit_order(struct emitter *e, const struct order_terms *order,
                const struct query *set);
// sources.c
void emit_sources(struct emitter *e, const struct block *block);
void emit_table(struct emitter *e, const struct source *source);
// remote.c: a query whose tables are all at the other end of one link, as a
// query of its result there. False if it is another.
bool emit_remote_query(struct emitter *e);
// changes.c, merge.c, definitions.c
void emit_change(struct emitter *e);
void emit_merge(struct emitter *e);
// A value as the column of the changed table stores it.
void emit_assigned(struct emitter *e, const struct expr *value,
                   const struct column_def *column);
void emit_definition(struct emitter *e);
// A name qualified by the user's schema, unless it has an owner itself.
void emit_own(struct emitter *e, struct name name);
// views.c: CREATE and DROP of views and synonyms.
void emit_view_definition(struct emitter *e);
// clusters.c: CREATE and DROP CLUSTER; the text that puts the new table into
// its cluster.
void emit_cluster_definition(struct emitter *e);
void emit_clustered(struct emitter *e);
// links.c: CREATE and DROP DATABASE LINK run no SQL.
void take_link(struct emitter *e);
// The binds of RETURNING INTO.
void take_into(struct emitter *e, const struct exprs *into);

#endif
