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

void emit_call(struct emitter *e, const struct expr *call) {
    if (call->function->kind == FUNCTION_FORM) {
        emit_form(e, call);
        return;
    }
    emit_text(e, " ");
    emit_text(e, call->function->name);
    emit_text(e, has_own(call) ? "$" : "");
    emit_text(e, call->star ? "(*" : call->distinct ? "(DISTINCT" : "(");
    emit_values(e, &call->list);
    emit_text(e, ")");
    if (call->window)
        emit_window(e, call->window);
}
