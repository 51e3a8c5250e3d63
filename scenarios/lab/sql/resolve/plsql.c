// SPDX-License-Identifier: GPL-2.0-or-later
// The values in a PL/SQL block.
#include "sql/resolve/resolver.h"

static bool is_boolean(const struct resolver *r, const struct expr *value) {
    return value->kind == EXPR_COLUMN &&
           value->name.first == value->name.last &&
           (statement_is(r->s, value->from, "true") ||
            statement_is(r->s, value->from, "false"));
}

// The queries of cursors that a block opens are statements of their own.
void resolve_plsql(struct resolver *r) {
    for (struct plsql *one = r->s->tree->body.first; one && !r->s->error;
         one = one->next) {
        for (struct argument *a = one->arguments.first; a; a = a->next)
            if (!is_boolean(r, a->value))
                resolve_value(r, a->value);
        if (one->kind == PLSQL_SELECT) {
            r->into = one->query->first;
            resolve_query(r, one->query);
        }
    }
}
