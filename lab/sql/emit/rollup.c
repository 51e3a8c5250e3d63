// SPDX-License-Identifier: GPL-2.0-or-later
// GROUP BY ROLLUP(a, b) and the like: of a ROLLUP, the groups by a and b, those
// by a, and all rows, each by a query of its own. Columns that a set does not
// group by is NULL in it.
#include <stdio.h>

#include "sql/emit/emitter.h"
#include "sql/resolve/resolver.h"

static void emit_hidden(struct emitter *e, const struct order_terms *order) {
    unsigned n = 0;
    char name[24];
    for (const struct order_term *one = order->first; one; one = one->next) {
        emit_text(e, one->by_key ? ", SORT_KEY$(" : ",");
        emit_value(e, one->item ? one->item->value : one->value);
        snprintf(name, sizeof name, "%s AS \"ORDER$%u\"",
                 one->by_key ? ")" : "", ++n);
        emit_text(e, name);
    }
}

static void emit_set(struct emitter *e, const struct block *block,
                     uint64_t set) {
    e->rollup = block;
    e->set = set;
    emit_items(e, block);
    emit_hidden(e, &block->order);
    e->rollup = NULL;
    emit_sources(e, block);
    if (block->where)
        emit_where(e, block->where);
    emit_groups(e, block, set);
    if (!block->having)
        return;
    e->rollup = block;
    emit_text(e, " HAVING");
    emit_condition(e, block->having);
    e->rollup = NULL;
}

static void emit_hidden_order(struct emitter *e,
                              const struct order_terms *order) {
    unsigned n = 0;
    char name[24];
    for (const struct order_term *one = order->first; one; one = one->next) {
        snprintf(name, sizeof name, "%s \"ORDER$%u\"",
                 n > 0 ? "," : " ORDER BY", n + 1);
        emit_text(e, name);
        emit_text(e, one->descending ? " DESC" : "");
        emit_text(e, one->nulls_first ? " NULLS FIRST" : " NULLS LAST");
        n++;
    }
}

void emit_rollup(struct emitter *e, const struct block *block) {
    const struct column_def *column = block->columns.first;
    if (block->order.first) {
        for (const char *before = "SELECT "; column; column = column->next) {
            emit_text(e, before);
            emit_identifier(e, column->name);
            before = ", ";
        }
        emit_text(e, " FROM (");
    }
    for (uint64_t n = 0; n < rollup_count(block); n++) {
        emit_text(e, n > 0 ? " UNION ALL " : "");
        emit_set(e, block, rollup_set(block, n));
    }
    if (!block->order.first)
        return;
    emit_text(e, ")");
    emit_hidden_order(e, &block->order);
}
