// SPDX-License-Identifier: GPL-2.0-or-later
// NVL, DECODE and others as expressions that evaluate their arguments only when
// needed.
#include <stdio.h>
#include <string.h>

#include "sql/emit/emitter.h"
#include "sql/functions/function.h"
#include "sql/resolve/resolver.h"

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
    const bool is_exact = value->type == type || value->type == OPERAND_NULL ||
                          (number && operand_is_number(value->type));
    if (is_exact ||
        !conversion) { // of any type: the client sees one, or an error
        emit_value(e, value);
    } else {
        emit_text(e, conversion);
        emit_value(e, value);
        emit_text(e, ")");
    }
    return operand_converted(type, value->type);
}

// Both arguments of NVL are evaluated, so that a conversion which fails does so
// even if it is not needed. A value that needs none cannot fail by it.
static void emit_nvl(struct emitter *e, const struct expr *call) {
    const struct expr *first = call->list.first;
    const bool converts =
        first->type != OPERAND_UNKNOWN && first->type != OPERAND_NULL &&
        first->next->type == OPERAND_TEXT && first->type != OPERAND_TEXT;
    emit_text(e, converts ? " NVL$(" : " COALESCE(");
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
    emit_text(e, " CASE WHEN");
    emit_comparison(e, first, first->next, SIGN_EQUAL, false);
    emit_text(e, " THEN NULL ELSE");
    emit_value(e, first);
    emit_text(e, " END");
}

// Whether a ROLLUP, and not a row, is why the group is NULL.
static void emit_grouping(struct emitter *e, const struct expr *call) {
    const bool is_null =
        e->rollup && rollup_is_null(e->s, e->rollup, e->set, call->list.first);
    emit_text(e, is_null ? " 1" : " 0");
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

// The number of the argument's type; 0 after refusing one that is kept
// otherwise than SQLite has it.
static unsigned dump_type(struct emitter *e, const struct expr *value) {
    enum { TEXT = 1, NUMBER = 2, DATE = 12, RAW = 23, CHAR = 96 };
    const bool keeps_type = value->kind == EXPR_COLUMN && !value->function;
    if (operand_is_number(value->type))
        return NUMBER;
    if (value->type == OPERAND_TEXT)
        return value->literal || value->fixed ? CHAR : TEXT;
    if (value->type == OPERAND_RAW)
        return RAW;
    if (value->type == OPERAND_DATE && keeps_type)
        return DATE;
    if (value->type != OPERAND_NULL)
        statement_refuse(e->s, 3001, value->from, "DUMP of such a value");
    return 0;
}

static void emit_dump(struct emitter *e, const struct expr *call) {
    char type[16];
    snprintf(type, sizeof type, "%u,", dump_type(e, call->list.first));
    emit_text(e, " DUMP$(");
    emit_text(e, type);
    emit_values(e, &call->list);
    emit_text(e, ")");
}

void emit_form(struct emitter *e, const struct expr *call) {
    static const struct {
        const char *name;
        void (*emit)(struct emitter *, const struct expr *);
    } forms[] = {
        {"NVL", emit_nvl},           {"NVL2", emit_nvl2},
        {"NULLIF", emit_nullif},     {"DECODE", emit_decode},
        {"COALESCE", emit_coalesce}, {"GROUPING", emit_grouping},
        {"DUMP", emit_dump},         {"SYS_CONNECT_BY_PATH", emit_carried},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(call->function->name, forms[i].name) == 0)
            forms[i].emit(e, call);
}
