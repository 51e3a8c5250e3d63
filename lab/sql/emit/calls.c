// SPDX-License-Identifier: GPL-2.0-or-later
// Calls of functions, and windows.
#include <string.h>

#include "sql/emit/emitter.h"
#include "sql/functions/function.h"

static void emit_bound(struct emitter *e, const struct bound *bound) {
    if (bound->kind == BOUND_CURRENT) {
        emit_text(e, " CURRENT ROW");
        return;
    }
    emit_text(e, " ");
    if (bound->rows)
        emit_bytes(e, e->s->tokens[bound->rows].at,
                   e->s->tokens[bound->rows].length);
    else
        emit_text(e, "UNBOUNDED");
    emit_text(e, bound->kind == BOUND_PRECEDING ? " PRECEDING" : " FOLLOWING");
}

static void emit_window(struct emitter *e, const struct window *window) {
    emit_text(e, " OVER (");
    if (window->partition.first) {
        emit_text(e, " PARTITION BY");
        emit_values(e, &window->partition);
    }
    emit_order(e, &window->order, NULL);
    if (window->framed) {
        emit_text(e, window->range ? " RANGE" : " ROWS");
        emit_text(e, window->between ? " BETWEEN" : "");
        emit_bound(e, &window->from);
        if (window->between) {
            emit_text(e, " AND");
            emit_bound(e, &window->to);
        }
    }
    emit_text(e, ")");
}

// SQLite's MIN and MAX are right only for types that it orders as Oracle does.
static bool has_own(const struct expr *call) {
    return !call->native && (strcmp(call->function->name, "MIN") == 0 ||
                             strcmp(call->function->name, "MAX") == 0);
}

// An aggregate is of all rows of its group, whatever a ROLLUP makes NULL.
static void emit_arguments(struct emitter *e, const struct expr *call) {
    const struct block *rollup = e->rollup;
    if (call->function->kind == FUNCTION_AGGREGATE)
        e->rollup = NULL;
    emit_values(e, &call->list);
    e->rollup = rollup;
}

// ",'directions',keys)": a key's direction is d or a, in capitals where NULLs
// come first; see sort_keys.h.
static void emit_within(struct emitter *e, const struct expr *call) {
    const struct order_term *term = call->within.first;
    emit_text(e, call->keeps_last ? ",'-" : ",'");
    for (; term; term = term->next)
        emit_text(e, term->descending    ? term->nulls_first ? "D" : "d"
                     : term->nulls_first ? "A"
                                         : "a");
    emit_text(e, "'");
    for (term = call->within.first; term; term = term->next) {
        emit_text(e, term->by_key ? ",SORT_KEY$(" : ",");
        emit_value(e, term->value);
        emit_text(e, term->by_key ? ")" : "");
    }
    emit_text(e, ")");
}

// LISTAGG$(value, delimiter, directions, keys)
static void emit_listagg(struct emitter *e, const struct expr *call) {
    const struct expr *value = call->list.first;
    emit_text(e, " LISTAGG$(");
    emit_value(e, value);
    emit_text(e, value->next ? "," : ",NULL");
    if (value->next)
        emit_value(e, value->next);
    emit_within(e, call);
}

// MAX_KEEP$(value, directions, keys) and the like
static void emit_kept(struct emitter *e, const struct expr *call) {
    emit_text(e, " ");
    emit_text(e, call->function->name);
    emit_text(e, "_KEEP$(");
    emit_text(e, call->star ? "1" : "");
    emit_values(e, &call->list);
    emit_within(e, call);
}

// The parts of a name have no quotes in it.
void emit_stored(struct emitter *e, const struct expr *call) {
    char name[STORED_NAME];
    statement_spell(e->s, call->name.first, call->name.last, name, sizeof name);
    emit_text(e, " PLSQL$('");
    for (const char *c = name; *c; c++)
        emit_bytes(e, *c == '\'' ? "''" : c, *c == '\'' ? 2 : 1);
    emit_text(e, call->list.first ? "'," : "'");
    emit_values(e, &call->list);
    emit_text(e, ")");
}

void emit_call(struct emitter *e, const struct expr *call) {
    if (call->stored) {
        emit_stored(e, call);
        return;
    }
    const bool keeps = call->keeps_first || call->keeps_last;
    if (keeps || strcmp(call->function->name, "LISTAGG") == 0) {
        const struct block *rollup = e->rollup;
        e->rollup = NULL;
        if (keeps)
            emit_kept(e, call);
        else
            emit_listagg(e, call);
        e->rollup = rollup;
        return;
    }
    if (call->function->kind == FUNCTION_FORM) {
        emit_form(e, call);
        return;
    }
    emit_text(e, " ");
    emit_text(e, call->function->name);
    emit_text(e, has_own(call) ? "$" : "");
    emit_text(e, call->star ? "(*" : call->distinct ? "(DISTINCT" : "(");
    emit_arguments(e, call);
    emit_text(e, ")");
    if (call->window)
        emit_window(e, call->window);
}
