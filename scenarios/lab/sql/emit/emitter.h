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
};

// text.c
void emit_text(struct emitter *e, const char *text);
void emit_bytes(struct emitter *e, const char *text, size_t length);
// Text that is a name of SQLite's.
void emit_identifier(struct emitter *e, const char *name);
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
// conditions.c
void emit_condition(struct emitter *e, const struct expr *condition);
const char *emit_sign_of(enum sign sign);
// `native`: by SQLite's own operator.
void emit_comparison(struct emitter *e, const struct expr *a,
                     const struct expr *b, enum sign sign, bool native);
// queries.c
void emit_query(struct emitter *e, const struct query *query);
void emit_block(struct emitter *e, const struct block *block, bool compound);
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
// query of what it returns there. False if it is another.
bool emit_remote_query(struct emitter *e);
// changes.c, definitions.c
void emit_change(struct emitter *e);
void emit_definition(struct emitter *e);
// links.c: CREATE and DROP DATABASE LINK run no SQL.
void take_link(struct emitter *e);
// plsql.c, opens.c
void emit_plsql(struct emitter *e);
void take_opened_cursors(struct emitter *e);
// The binds of INTO.
void take_into(struct emitter *e, const struct names *into);
// block_query.c: the text of the SELECT from `first` to `to` without its INTO,
// [into, from): in upper case, with single spaces and binds by number, as
// PL/SQL executes it. From malloc; NULL without memory.
char *block_query_text(const struct statement *s, unsigned first, unsigned into,
                       unsigned from, unsigned to);

#endif
