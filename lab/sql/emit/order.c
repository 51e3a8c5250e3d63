// SPDX-License-Identifier: GPL-2.0-or-later
// ORDER BY, of a SELECT, a window or a set: NULLs sort as the largest.
#include <stdio.h>

#include "sql/emit/emitter.h"

static void emit_position(struct emitter *e, unsigned position) {
    char text[16];
    snprintf(text, sizeof text, " %u", position);
    emit_text(e, text);
}

// The column of a set, by its name in the query around it.
static void emit_column_key(struct emitter *e, const struct query *set,
                            unsigned position) {
    const struct column_def *column = set->columns.first;
    for (unsigned i = 1; i < position; i++)
        column = column->next;
    emit_text(e, " SORT_KEY$(\"");
    emit_text(e, column->name);
    emit_text(e, "\")");
}

static void emit_key(struct emitter *e, const struct expr *value) {
    emit_text(e, " SORT_KEY$(");
    emit_value(e, value);
    emit_text(e, ")");
}

static void emit_term(struct emitter *e, const struct order_term *term,
                      const struct query *set) {
    const struct expr *value = term->item ? term->item->value : term->value;
    if (set && term->by_key)
        emit_column_key(e, set, term->position);
    else if (term->by_key)
        emit_key(e, value);
    else if (set || term->by_position)
        emit_position(e, term->position);
    else if (term->item) { // the alias
        emit_text(e, " ");
        emit_name(e, term->value->name.last);
    } else
        emit_value(e, value);
}

void emit_order(struct emitter *e, const struct order_terms *order,
                const struct query *set) {
    if (!order->first)
        return;
    emit_text(e, " ORDER BY");
    for (const struct order_term *one = order->first; one; one = one->next) {
        emit_text(e, one == order->first ? "" : ",");
        emit_term(e, one, set);
        emit_text(e, one->descending ? " DESC" : "");
        emit_text(e, one->nulls_first ? " NULLS FIRST" : " NULLS LAST");
    }
}
