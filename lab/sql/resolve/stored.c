// SPDX-License-Identifier: GPL-2.0-or-later
// Names of PL/SQL in a statement: the variables of the block that it is in,
// and functions that are stored or supplied.
#include "sql/functions/function.h"
#include "sql/resolve/resolver.h"

// A function that SQL itself has comes first.
static bool is_sql_function(const struct resolver *r, struct name name) {
    const struct token *token = &r->s->tokens[name.last];
    return name.first == name.last && token->type == TOKEN_WORD &&
           function_named(token->at, token->length);
}

static bool is_stored_function(struct resolver *r, struct expr *value) {
    char name[STORED_NAME];
    enum operand_type type;
    if (!r->catalog || !r->catalog->stored_function || value->star ||
        value->distinct || value->window || is_sql_function(r, value->name) ||
        value->name.last - value->name.first > 4)
        return false;
    statement_spell(r->s, value->name.first, value->name.last, name,
                    sizeof name);
    if (r->s->error ||
        !r->catalog->stored_function(r->catalog->data, name, &type))
        return false;
    value->stored = true;
    value->type = value->shown = type;
    r->s->tree->bound_to_us = true;
    resolve_values(r, &value->list);
    return true;
}

bool resolve_stored(struct resolver *r, struct expr *value) {
    struct statement *s = r->s;
    if (s->variable && s->variable(s, value, s->block))
        return true;
    return (value->kind == EXPR_CALL || value->kind == EXPR_COLUMN) &&
           is_stored_function(r, value);
}
