// SPDX-License-Identifier: GPL-2.0-or-later
// Conditions on ROWNUM, as a LIMIT.
#include "sql/emit/emitter.h"
#include "sql/resolve/resolver.h"

static void emit_others(struct emitter *e, const struct expr *where,
                        bool *first) {
    enum sign sign;
    if (where->kind == EXPR_AND) {
        emit_others(e, where->left, first);
        emit_others(e, where->right, first);
    } else if (!rownum_bound(where, &sign)) {
        emit_text(e, *first ? " WHERE" : " AND");
        emit_condition(e, where);
        *first = false;
    }
}

void emit_where(struct emitter *e, const struct expr *where) {
    bool first = true;
    if (rownum_limits(where)) {
        emit_others(e, where, &first);
        return;
    }
    emit_text(e, " WHERE");
    emit_condition(e, where);
}

static void emit_bounds(struct emitter *e, const struct expr *where) {
    enum sign sign;
    if (where->kind == EXPR_AND) {
        emit_bounds(e, where->left);
        emit_bounds(e, where->right);
        return;
    }
    const struct expr *bound = rownum_bound(where, &sign);
    if (!bound)
        return;
    emit_text(e, ",ROWNUM_LIMIT$('");
    emit_text(e, emit_sign_of(sign));
    emit_text(e, "',");
    emit_value(e, bound);
    emit_text(e, ")");
}

void emit_rownum_limit(struct emitter *e, const struct expr *where) {
    emit_text(e, " LIMIT min(1e18");
    emit_bounds(e, where);
    // SQLite may flatten a subquery with a LIMIT into the outer query and sort
    // before it limits. An OFFSET prevents that.
    emit_text(e, ") OFFSET 0");
}
