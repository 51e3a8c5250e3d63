// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/parse/tree.h"

enum {
    // Resolution and emission recurse; SQLite's own limit is half of it.
    DEEPEST = 1000,
};

struct expr *tree_expr(struct statement *s, enum expr_kind kind, unsigned from,
                       unsigned to) {
    struct expr *expr = statement_take(s, sizeof *expr);
    expr->kind = kind;
    expr->from = from;
    expr->to = to;
    return expr;
}

void tree_deepen(struct statement *s, struct expr *node,
                 const struct expr *child) {
    if (child && child->depth >= node->depth)
        node->depth = child->depth + 1;
    if (node->depth > DEEPEST)
        statement_refuse(s, 3001, node->from, "so deep a statement");
}

struct expr *tree_operation(struct statement *s, enum expr_kind kind,
                            enum sign sign, struct expr *left,
                            struct expr *right) {
    struct expr *expr = tree_expr(s, kind, left->from, right->to);
    expr->sign = sign;
    expr->left = left;
    expr->right = right;
    tree_deepen(s, expr, left);
    tree_deepen(s, expr, right);
    return expr;
}

struct expr *tree_sign(struct statement *s, unsigned token, bool negative,
                       struct expr *operand) {
    // Signs one after the other are one; those of a literal are its own.
    if (operand->kind == EXPR_SIGN || operand->kind == EXPR_NUMBER ||
        operand->kind == EXPR_BINARY_NUMBER) {
        operand->negative ^= negative;
        operand->from = token;
        return operand;
    }
    struct expr *expr = tree_expr(s, EXPR_SIGN, token, operand->to);
    expr->negative = negative;
    expr->left = operand;
    tree_deepen(s, expr, operand);
    return expr;
}

struct expr *tree_condition(struct statement *s, enum expr_kind kind,
                            struct expr *left, bool negated, struct expr *right,
                            struct expr *third) {
    struct expr *expr = tree_expr(s, kind, left->from, left->to);
    expr->negated = negated;
    expr->left = left;
    expr->right = right;
    expr->third = third;
    tree_deepen(s, expr, left);
    tree_deepen(s, expr, right);
    tree_deepen(s, expr, third);
    return expr;
}

void exprs_append(struct exprs *list, struct expr *one) {
    if (list->last)
        list->last->next = one;
    else
        list->first = one;
    list->last = one;
    list->count++;
}

struct names names_append(struct statement *s, struct names list,
                          unsigned token) {
    struct name_entry *entry = statement_take(s, sizeof *entry);
    entry->token = token;
    if (list.last)
        list.last->next = entry;
    else
        list.first = entry;
    list.last = entry;
    list.count++;
    return list;
}

bool names_equal(const struct statement *s, struct name a, struct name b) {
    if (a.last - a.first != b.last - b.first)
        return false;
    for (unsigned i = 0; a.first + i <= a.last; i += 2)
        if (!name_equals(&s->tokens[a.first + i], &s->tokens[b.first + i]))
            return false;
    return true;
}

struct item *tree_item(struct statement *s, struct expr *value,
                       unsigned alias) {
    struct item *item = statement_take(s, sizeof *item);
    item->from = value->from;
    item->to = value->to;
    item->value = value;
    item->alias = alias;
    return item;
}

struct item *tree_star(struct statement *s, struct name table, unsigned star) {
    struct item *item = statement_take(s, sizeof *item);
    item->star = true;
    item->table = table;
    item->from = table.first ? table.first : star;
    item->to = star + 1;
    return item;
}

struct source *tree_source(struct statement *s, struct name table,
                           unsigned alias) {
    struct source *source = statement_take(s, sizeof *source);
    source->table = table;
    source->alias = alias;
    return source;
}

struct source *tree_remote_source(struct statement *s, struct name table,
                                  struct name link) {
    struct source *source = tree_source(s, table, 0);
    source->link = link;
    if (s->tree->last_remote)
        s->tree->last_remote->next_remote = source;
    else
        s->tree->remote = source;
    s->tree->last_remote = source;
    return source;
}

struct join *tree_join(struct statement *s, enum join_kind kind,
                       struct join *left, struct join *right) {
    struct join *join = statement_take(s, sizeof *join);
    join->kind = kind;
    join->left = left;
    join->right = right;
    join->depth = left && left->depth >= (right ? right->depth : 0)
                      ? left->depth + 1
                  : right ? right->depth + 1
                          : 0;
    if (join->depth > DEEPEST)
        statement_refuse(s, 3001, 0, "more than 1,000 joins");
    return join;
}

struct join *tree_join_source(struct statement *s, struct source *source) {
    struct join *join = tree_join(s, JOIN_SOURCE, NULL, NULL);
    join->source = source;
    return join;
}
