// SPDX-License-Identifier: GPL-2.0-or-later
// NVL, DECODE and others as expressions that evaluate their arguments only when
// needed.
#include <string.h>

#include "sql/emit/emitter.h"
#include "sql/functions/function.h"

// Converts the argument to `type`, the type of those before it. Returns the
// type that they have with it.
static enum operand_type emit_as(struct emitter *e, const struct expr *value,
                                 enum operand_type type) {
    const bool number = operand_is_number(type);
    const char *conversion =
        number                          ? " NUMBER$("
        : type == OPERAND_TEXT          ? " TEXT$("
        : type == OPERAND_DATE          ? " DATE$("
        : type == OPERAND_BINARY_DOUBLE ? " TO_BINARY_DOUBLE("
        : type == OPERAND_BINARY_FLOAT  ? " TO_BINARY_FLOAT("
                                        : NULL;
    const bool same = value->type == type || value->type == OPERAND_NULL ||
                      (number && operand_is_number(value->type));
    if (same || !conversion) { // of any type: the client sees one, or an error
        emit_value(e, value);
    } else {
        emit_text(e, conversion);
        emit_value(e, value);
        emit_text(e, ")");
    }
    return operand_converted(type, value->type);
}

static void emit_nvl(struct emitter *e, const struct expr *call) {
    const struct expr *first = call->list.first;
    emit_text(e, " COALESCE(");
    emit_value(e, first);
    emit_text(e, ",");
    emit_as(e, first->next, first->type);
    emit_text(e, ")");
}

// COALESCE does not convert its arguments.
static void emit_coalesce(struct emitter *e, const struct expr *call) {
    emit_text(e, " COALESCE(");
    emit_values(e, &call->list);
    emit_text(e, ")");
}

static void emit_nvl2(struct emitter *e, const struct expr *call) {
    const struct expr *first = call->list.first, *second = first->next;
    emit_text(e, " CASE WHEN");
    emit_value(e, first);
    emit_text(e, " IS NOT NULL THEN");
    emit_value(e, second);
    emit_text(e, " ELSE");
    emit_as(e, second->next, second->type);
    emit_text(e, " END");
}

static void emit_nullif(struct emitter *e, const struct expr *call) {
    const struct expr *first = call->list.first;
    emit_text(e, " CASE WHEN COMPARE$(");
    emit_value(e, first);
    emit_text(e, ",");
    emit_value(e, first->next);
    emit_text(e, ") = 0 THEN NULL ELSE");
    emit_value(e, first);
    emit_text(e, " END");
}

// DECODE(value, search, result, ..., otherwise). The first result determines
// the type of all; NULL counts as text.
static void emit_decode(struct emitter *e, const struct expr *call) {
    const struct expr *value = call->list.first, *one = value->next;
    enum operand_type type = one->next->type;
    type = type == OPERAND_NULL ? OPERAND_TEXT : type;
    emit_text(e, " CASE");
    for (bool first = true; one && one->next; one = one->next->next) {
        emit_text(e, " WHEN SAME$(");
        emit_value(e, value);
        emit_text(e, ",");
        emit_value(e, one);
        emit_text(e, ") THEN");
        if (first)
            emit_value(e, one->next);
        else
            type = emit_as(e, one->next, type);
        first = false;
    }
    if (one) {
        emit_text(e, " ELSE");
        emit_as(e, one, type);
    }
    emit_text(e, " END");
}

void emit_form(struct emitter *e, const struct expr *call) {
    static const struct {
        const char *name;
        void (*emit)(struct emitter *, const struct expr *);
    } forms[] = {
        {"NVL", emit_nvl},           {"NVL2", emit_nvl2},
        {"NULLIF", emit_nullif},     {"DECODE", emit_decode},
        {"COALESCE", emit_coalesce},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(call->function->name, forms[i].name) == 0)
            forms[i].emit(e, call);
}
