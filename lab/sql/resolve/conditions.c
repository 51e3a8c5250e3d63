// SPDX-License-Identifier: GPL-2.0-or-later
// Conditions. SQLite compares text with numbers, DATE with TIMESTAMP and long
// numbers in its own way: unless both sides are known to have one type that
// both systems order alike, a function compares them.
#include "sql/resolve/resolver.h"

static bool is_fixed(const struct expr *value) {
    return value->fixed || value->literal;
}

bool resolve_is_padded(const struct expr *a, const struct expr *b) {
    return is_fixed(a) && is_fixed(b) &&
           (a->fixed || b->fixed || a->padded || b->padded);
}

// A variable of a block becomes a bind, which is a VARCHAR2.
static void check_variables(struct resolver *r, const struct expr *a,
                            const struct expr *b) {
    if (r->s->variable &&
        (a->kind == EXPR_VARIABLE || b->kind == EXPR_VARIABLE))
        statement_refuse(r->s, 3001, a->from,
                         "a CHAR variable compared with a CHAR in SQL");
}

bool resolve_comparable(struct resolver *r, struct expr *a, struct expr *b,
                        bool for_equality) {
    resolve_expect(r, a, b->type);
    resolve_expect(r, b, a->type);
    if (operand_is_lob(a->type) || operand_is_lob(b->type))
        statement_refuse(r->s, 932, a->from, "a LOB cannot be compared");
    if (a->type == OPERAND_NULL || b->type == OPERAND_NULL)
        return true;
    if (resolve_is_padded(a, b)) {
        check_variables(r, a, b);
        return false;
    }
    const enum operand_type type = resolve_common_type(r, a->type, b->type);
    // Each number has a single form, so equal numbers are equal to SQLite.
    return operand_orders_natively(type) ||
           (for_equality && type == OPERAND_NUMBER);
}

static void resolve_in_list(struct resolver *r, struct expr *in) {
    enum { MOST = 1000 };
    if (in->list.count > MOST)
        statement_refuse(r->s, 1795, in->from, "");
    in->native = true;
    for (struct expr *one = in->list.first; one; one = one->next) {
        resolve_value(r, one);
        in->native = resolve_comparable(r, in->left, one, true) && in->native;
    }
    for (struct expr *one = in->list.first; one; one = one->next)
        one->alike = resolve_comparable(r, in->left, one, true);
}

static void resolve_in_query(struct resolver *r, struct expr *in) {
    resolve_query(r, in->query);
    const struct column_defs *columns = &in->query->columns;
    struct expr rows = {.from = in->from};
    if (columns->known && columns->count > 1)
        statement_refuse(r->s, 913, in->from, "");
    if (columns->known && columns->count == 1) {
        rows.type = columns->first->type;
        rows.fixed = columns->first->fixed;
    }
    if (resolve_is_padded(in->left, &rows) && columns->first->declared) {
        check_variables(r, in->left, &rows);
        in->declared = columns->first->declared;
        return;
    }
    if (!resolve_comparable(r, in->left, &rows, true))
        statement_refuse(r->s, 3001, in->from,
                         "IN with types that are not the same");
}

static void resolve_comparison(struct resolver *r, struct expr *condition) {
    const bool equality =
        condition->sign == SIGN_EQUAL || condition->sign == SIGN_UNEQUAL;
    resolve_value(r, condition->left);
    resolve_value(r, condition->right);
    condition->native =
        resolve_comparable(r, condition->left, condition->right, equality);
}

// `native`: of the lower bound; `alike` of the upper one.
static void resolve_between(struct resolver *r, struct expr *condition) {
    resolve_value(r, condition->left);
    resolve_value(r, condition->right);
    condition->native =
        resolve_comparable(r, condition->left, condition->right, false);
    resolve_value(r, condition->third);
    condition->third->alike =
        resolve_comparable(r, condition->left, condition->third, false);
}

static void resolve_parts(struct resolver *r, struct expr *condition) {
    switch (condition->kind) {
    case EXPR_AND:
    case EXPR_OR:
        resolve_condition(r, condition->left);
        resolve_condition(r, condition->right);
        break;
    case EXPR_NOT:
    case EXPR_CONDITION:
        resolve_condition(r, condition->left);
        break;
    case EXPR_COMPARISON:
        resolve_comparison(r, condition);
        break;
    case EXPR_BETWEEN:
        resolve_between(r, condition);
        break;
    case EXPR_IN_LIST:
        resolve_value(r, condition->left);
        resolve_in_list(r, condition);
        break;
    case EXPR_IN_QUERY:
        resolve_value(r, condition->left);
        resolve_in_query(r, condition);
        break;
    case EXPR_LIKE:
        resolve_value(r, condition->left);
        resolve_value(r, condition->right);
        if (condition->third)
            resolve_value(r, condition->third);
        break;
    case EXPR_IS_NULL:
        resolve_value(r, condition->left);
        break;
    case EXPR_EXISTS:
        resolve_query(r, condition->query);
        break;
    case EXPR_LNNVL:
        if (condition->left->kind == EXPR_AND ||
            condition->left->kind == EXPR_OR ||
            condition->left->kind == EXPR_BETWEEN)
            statement_refuse(r->s, 13207, condition->from, "");
        resolve_condition(r, condition->left);
        break;
    case EXPR_REGEXP_LIKE:
        if (condition->list.count < 2 || condition->list.count > 3)
            statement_refuse(r->s, 909, condition->from, "");
        resolve_values(r, &condition->list);
        break;
    case EXPR_ROW_COMPARISON:
    case EXPR_ROW_IN_LIST:
    case EXPR_ROW_IN_QUERY:
        resolve_row_condition(r, condition);
        break;
    default:
        statement_refuse(r->s, 920, condition->from, "");
    }
}

void resolve_condition(struct resolver *r, struct expr *condition) {
    if (resolve_enter(r, condition->from))
        resolve_parts(r, condition);
    r->depth--;
}
