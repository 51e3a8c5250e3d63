// SPDX-License-Identifier: GPL-2.0-or-later
// Conditions of rows: (a, b) = (c, d), (a, b) IN (...). They are compared value
// by value.
#include "sql/resolve/resolver.h"

static void resolve_row(struct resolver *r, struct expr *row) {
    for (struct expr *one = row->list.first; one; one = one->next)
        resolve_value(r, one);
}

static void check_count(struct resolver *r, unsigned count, unsigned wanted,
                        unsigned token) {
    if (count != wanted)
        statement_refuse(r->s, count < wanted ? 947 : 913, token, "");
}

// `alike` of the right one's values: SQLite's own operator compares them.
static void resolve_pairs(struct resolver *r, struct expr *left,
                          struct expr *right) {
    struct expr *a = left->list.first, *b = right->list.first;
    check_count(r, right->list.count, left->list.count, right->from);
    for (; a && b; a = a->next, b = b->next)
        b->alike = resolve_comparable(r, a, b, true);
}

// The query's columns next to the row's values, which SQLite compares by its
// own rules: the types must be alike.
static void resolve_columns(struct resolver *r, struct expr *row,
                            struct query *query, unsigned token) {
    resolve_query(r, query);
    const struct column_def *column = query->columns.first;
    struct expr *value = row->list.first;
    if (!query->columns.known) {
        statement_refuse(r->s, 3001, token, "a row of unknown types");
        return;
    }
    check_count(r, query->columns.count, row->list.count, token);
    for (; value && column && !r->s->error;
         value = value->next, column = column->next) {
        struct expr comparison = {
            .from = token, .type = column->type, .fixed = column->fixed};
        if (!resolve_comparable(r, value, &comparison, true))
            statement_refuse(r->s, 3001, token,
                             "rows of types that are not the same");
    }
}

void resolve_row_query(struct resolver *r, struct query *query,
                       unsigned count) {
    resolve_query(r, query);
    if (query->columns.known)
        check_count(r, query->columns.count, count, query->from);
}

void resolve_row_condition(struct resolver *r, struct expr *condition) {
    struct expr *left_operand = condition->left, *right = condition->right;
    resolve_row(r, left_operand);
    if (condition->kind == EXPR_ROW_IN_QUERY) {
        resolve_columns(r, left_operand, condition->query, condition->from);
        return;
    }
    if (condition->kind == EXPR_ROW_IN_LIST) {
        for (struct expr *one = condition->list.first; one; one = one->next) {
            resolve_row(r, one);
            resolve_pairs(r, left_operand, one);
        }
        return;
    }
    if (condition->sign != SIGN_EQUAL && condition->sign != SIGN_UNEQUAL)
        statement_refuse(r->s, 1796, condition->from, "");
    if (right->kind == EXPR_SUBQUERY) {
        resolve_columns(r, left_operand, right->query, right->from);
    } else {
        resolve_row(r, right);
        resolve_pairs(r, left_operand, right);
    }
}
