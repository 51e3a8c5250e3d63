// SPDX-License-Identifier: GPL-2.0-or-later
// Conditions of rows. SQLite's own compare a row with a query's rows; with
// another row, each pair of values is compared as if it were alone.
#include <stdio.h>

#include "sql/emit/emitter.h"

void emit_only_row(struct emitter *e, const struct query *query,
                   unsigned count) {
    char name[24];
    emit_text(e, "(WITH \"ROW$\"(");
    for (unsigned i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%sC%u", i > 0 ? "," : "", i);
        emit_text(e, name);
    }
    emit_text(e, ") AS (");
    emit_query(e, query);
    emit_text(e, ")");
}

static void emit_equal(struct emitter *e, const struct expr *left,
                       const struct expr *right) {
    const struct expr *a = left->list.first, *b = right->list.first;
    for (; a && b; a = a->next, b = b->next) {
        emit_text(e, a == left->list.first ? " (" : " AND");
        emit_comparison(e, a, b, SIGN_EQUAL, b->alike);
    }
    emit_text(e, ")");
}

static void emit_row(struct emitter *e, const struct expr *row) {
    emit_text(e, " (");
    emit_values(e, &row->list);
    emit_text(e, ")");
}

// Oracle has an error for a second row.
static void emit_equal_query(struct emitter *e, const struct expr *row,
                             const struct query *query) {
    char value[40];
    emit_row(e, row);
    emit_text(e, " = ");
    emit_only_row(e, query, row->list.count);
    for (unsigned i = 0; i < row->list.count; i++) {
        snprintf(value, sizeof value, "%s ONE_ROW$(C%u)",
                 i > 0 ? "," : " SELECT", i);
        emit_text(e, value);
    }
    emit_text(e, " FROM \"ROW$\")");
}

static void emit_row_comparison(struct emitter *e,
                                const struct expr *condition) {
    const bool unequal = condition->sign == SIGN_UNEQUAL;
    emit_text(e, unequal ? " NOT (" : "");
    if (condition->right->kind == EXPR_SUBQUERY)
        emit_equal_query(e, condition->left, condition->right->query);
    else
        emit_equal(e, condition->left, condition->right);
    emit_text(e, unequal ? ")" : "");
}

void emit_row_condition(struct emitter *e, const struct expr *condition) {
    const struct expr *first = condition->list.first;
    if (condition->kind == EXPR_ROW_COMPARISON) {
        emit_row_comparison(e, condition);
    } else if (condition->kind == EXPR_ROW_IN_QUERY) {
        emit_row(e, condition->left);
        emit_text(e, " IN (");
        emit_query(e, condition->query);
        emit_text(e, ")");
    } else {
        for (const struct expr *one = first; one; one = one->next) {
            emit_text(e, one == first ? " (" : " OR");
            emit_equal(e, condition->left, one);
        }
        emit_text(e, ")");
    }
}
