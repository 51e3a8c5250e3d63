// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/parse/tree.h"

enum {
    // Resolution and emission recurse; SQLite's own limit is half of it.
    DEEPEST = 1000,
};

struct expr *tree_expr(struct statement *s, enum expr_kind kind, unsigned from,
                       unsigned to) {
    struct expr *made = statement_take(s, sizeof *made);
    made->kind = kind;
    made->from = from;
    made->to = to;
    return made;
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
    struct expr *made = tree_expr(s, kind, left->from, right->to);
    made->sign = sign;
    made->left = left;
    made->right = right;
    tree_deepen(s, made, left);
    tree_deepen(s, made, right);
    return made;
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
    struct expr *made = tree_expr(s, EXPR_SIGN, token, operand->to);
    made->negative = negative;
    made->left = operand;
    tree_deepen(s, made, operand);
    return made;
}

struct expr *tree_condition(struct statement *s, enum expr_kind kind,
                            struct expr *left, bool negated, struct expr *right,
                            struct expr *third) {
    struct expr *made = tree_expr(s, kind, left->from, left->to);
    made->negated = negated;
    made->left = left;
    made->right = right;
    made->third = third;
    tree_deepen(s, made, left);
    tree_deepen(s, made, right);
    tree_deepen(s, made, third);
    return made;
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
    struct name_entry *made = statement_take(s, sizeof *made);
    made->token = token;
    if (list.last)
        list.last->next = made;
    else
        list.first = made;
    list.last = made;
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
    struct item *made = statement_take(s, sizeof *made);
    made->from = value->from;
    made->to = value->to;
    made->value = value;
    made->alias = alias;
    return made;
}

struct item *tree_star(struct statement *s, struct name table, unsigned star) {
    struct item *made = statement_take(s, sizeof *made);
    made->star = true;
    made->table = table;
    made->from = table.first ? table.first : star;
    made->to = star + 1;
    return made;
}

struct source *tree_source(struct statement *s, struct name table,
                           unsigned alias) {
    struct source *made = statement_take(s, sizeof *made);
    made->table = table;
    made->alias = alias;
    return made;
}

struct source *tree_remote_source(struct statement *s, struct name table,
                                  struct name link) {
    struct source *made = tree_source(s, table, 0);
    made->link = link;
    if (s->tree->last_remote)
        s->tree->last_remote->next_remote = made;
    else
        s->tree->remote = made;
    s->tree->last_remote = made;
    return made;
}

struct join *tree_join(struct statement *s, enum join_kind kind,
                       struct join *left, struct join *right) {
    struct join *made = statement_take(s, sizeof *made);
    made->kind = kind;
    made->left = left;
    made->right = right;
    made->depth = left && left->depth >= (right ? right->depth : 0)
                      ? left->depth + 1
                  : right ? right->depth + 1
                          : 0;
    if (made->depth > DEEPEST)
        statement_refuse(s, 3001, 0, "more than 1,000 joins");
    return made;
}

struct join *tree_join_source(struct statement *s, struct source *source) {
    struct join *made = tree_join(s, JOIN_SOURCE, NULL, NULL);
    made->source = source;
    return made;
}
