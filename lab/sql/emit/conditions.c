// SPDX-License-Identifier: GPL-2.0-or-later
// Conditions. COMPARE$ compares values that SQLite orders otherwise.
#include <stdio.h>
#include <string.h>

#include "sql/emit/emitter.h"
#include "sql/resolve/resolver.h"
#include "sql/types/like_pattern.h"

const char *emit_sign_of(enum sign sign) {
    static const char *const signs[] = {
        [SIGN_EQUAL] = "=",    [SIGN_UNEQUAL] = "<>", [SIGN_LESS] = "<",
        [SIGN_AT_MOST] = "<=", [SIGN_GREATER] = ">",  [SIGN_AT_LEAST] = ">=",
    };
    return signs[sign];
}

// A table's own ROWID = another value, so that SQLite finds the row by it.
static void emit_row_equals(struct emitter *e, const struct expr *rowid,
                            const struct expr *other) {
    char end[16];
    snprintf(end, sizeof end, ",%u)", rowid->object);
    emit_text(e, " ");
    emit_row_number(e, rowid);
    emit_text(e, " = ROW$(");
    emit_value(e, other);
    emit_text(e, end);
}

// Whether it is a table's column, whose CHARs all have their whole size.
static bool is_stored(const struct expr *value) {
    return value->kind == EXPR_COLUMN && value->fixed && value->declared &&
           value->source && value->source->in_catalog;
}

// CHAR = another, so that SQLite finds the row by an index of it.
static void emit_padded(struct emitter *e, const struct expr *column,
                        const struct expr *other) {
    emit_value(e, column);
    emit_text(e, " = PAD$(");
    emit_value(e, other);
    emit_text(e, ",'");
    emit_text(e, column->declared);
    emit_text(e, "')");
}

void emit_comparison(struct emitter *e, const struct expr *a,
                     const struct expr *b, enum sign sign, bool native) {
    // Two tables have no ROWID in common.
    const bool joined = a->object && b->object && a->object != b->object;
    if (sign == SIGN_EQUAL && (a->object || b->object) && !joined) {
        emit_row_equals(e, a->object ? a : b, a->object ? b : a);
        return;
    }
    const bool padded = resolve_is_padded(a, b);
    if (padded && sign == SIGN_EQUAL && (is_stored(a) || is_stored(b))) {
        emit_padded(e, is_stored(a) ? a : b, is_stored(a) ? b : a);
        return;
    }
    emit_text(e, native ? "" : padded ? " COMPARE_PADDED$(" : " COMPARE$(");
    emit_value(e, a);
    emit_text(e, native ? " " : ",");
    emit_text(e, native ? emit_sign_of(sign) : "");
    emit_value(e, b);
    if (native)
        return;
    emit_text(e, ") ");
    emit_text(e, emit_sign_of(sign));
    emit_text(e, " 0");
}

static void emit_between(struct emitter *e, const struct expr *condition) {
    emit_text(e, " (");
    emit_comparison(e, condition->left, condition->right, SIGN_AT_LEAST,
                    condition->native);
    emit_text(e, " AND");
    emit_comparison(e, condition->left, condition->third, SIGN_AT_MOST,
                    condition->third->alike);
    emit_text(e, ")");
}

static void emit_in_list(struct emitter *e, const struct expr *in) {
    if (in->native) {
        emit_value(e, in->left);
        emit_text(e, " IN (");
        emit_values(e, &in->list);
    } else {
        for (const struct expr *one = in->list.first; one; one = one->next) {
            emit_text(e, one == in->list.first ? " (" : " OR ");
            emit_comparison(e, in->left, one, SIGN_EQUAL, one->alike);
        }
    }
    emit_text(e, ")");
}

static void emit_as_text(struct emitter *e, const struct expr *value) {
    const bool text = value->type == OPERAND_TEXT;
    emit_text(e, text ? "" : " TEXT$(");
    emit_value(e, value);
    emit_text(e, text ? "" : ")");
}

// SQLite reads a range of an index only for a pattern that is a literal, so
// legal ones stay that.
static bool is_legal_literal(const struct emitter *e, const struct expr *value,
                             const struct expr *escape) {
    if (value->kind != EXPR_TEXT || escape->kind != EXPR_TEXT ||
        value->type != OPERAND_TEXT || escape->type != OPERAND_TEXT)
        return false;
    const struct literal pattern = literal_of(&e->s->tokens[value->from]);
    const struct literal character = literal_of(&e->s->tokens[escape->from]);
    return !memchr(pattern.at, '\'', pattern.length) &&
           !like_pattern_error(pattern.at, pattern.length, character.at,
                               character.length);
}

static void emit_like(struct emitter *e, const struct expr *condition) {
    const struct expr *escape = condition->third;
    const bool checks =
        escape && !is_legal_literal(e, condition->right, escape);
    emit_as_text(e, condition->left);
    emit_text(e, checks ? " LIKE LIKE_PATTERN$(" : " LIKE");
    emit_as_text(e, condition->right);
    if (checks) {
        emit_text(e, ",");
        emit_value(e, escape);
        emit_text(e, ")");
    }
    if (condition->third) {
        emit_text(e, " ESCAPE");
        emit_value(e, condition->third);
    }
}

static void emit_inside(struct emitter *e, const char *before,
                        const struct expr *condition) {
    emit_text(e, before);
    emit_condition(e, condition);
    emit_text(e, ")");
}

static void emit_positive(struct emitter *e, const struct expr *condition) {
    switch (condition->kind) {
    case EXPR_AND: // their precedence is the same in SQLite
    case EXPR_OR:
        emit_condition(e, condition->left);
        emit_text(e, condition->kind == EXPR_AND ? " AND" : " OR");
        emit_condition(e, condition->right);
        break;
    case EXPR_NOT:
        emit_inside(e, " NOT (", condition->left);
        break;
    case EXPR_CONDITION:
        emit_inside(e, " (", condition->left);
        break;
    case EXPR_COMPARISON:
        emit_comparison(e, condition->left, condition->right, condition->sign,
                        condition->native);
        break;
    case EXPR_BETWEEN:
        emit_between(e, condition);
        break;
    case EXPR_IN_LIST:
        emit_in_list(e, condition);
        break;
    case EXPR_IN_QUERY:
        emit_text(e, condition->declared ? " PAD$(" : "");
        emit_value(e, condition->left);
        if (condition->declared) {
            emit_text(e, ",'");
            emit_text(e, condition->declared);
            emit_text(e, "')");
        }
        emit_text(e, " IN (");
        emit_query(e, condition->query);
        emit_text(e, ")");
        break;
    case EXPR_LIKE:
        emit_like(e, condition);
        break;
    case EXPR_IS_NULL:
        emit_value(e, condition->left);
        emit_text(e, condition->negated ? " IS NOT NULL" : " IS NULL");
        break;
    case EXPR_EXISTS:
        emit_text(e, " EXISTS (");
        emit_query(e, condition->query);
        emit_text(e, ")");
        break;
    case EXPR_LNNVL:
        emit_inside(e, " (", condition->left);
        emit_text(e, " IS NOT TRUE");
        break;
    case EXPR_REGEXP_LIKE:
        emit_text(e, " REGEXP_LIKE$(");
        emit_values(e, &condition->list);
        emit_text(e, ")");
        break;
    case EXPR_ROW_COMPARISON:
    case EXPR_ROW_IN_LIST:
    case EXPR_ROW_IN_QUERY:
        emit_row_condition(e, condition);
        break;
    default:
        statement_refuse(e->s, 920, condition->from, "");
    }
}

void emit_condition(struct emitter *e, const struct expr *condition) {
    const bool negated = condition->negated && condition->kind != EXPR_IS_NULL;
    if (e->s->error)
        return;
    emit_text(e, negated ? " NOT (" : "");
    emit_positive(e, condition);
    emit_text(e, negated ? ")" : "");
}
