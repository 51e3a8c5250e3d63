// SPDX-License-Identifier: GPL-2.0-or-later
// Which columns a grouped query may name: SQLite would take any row's value for
// a column that is neither grouped by nor aggregated.
#include "sql/functions/function.h"
#include "sql/resolve/resolver.h"

static bool is_aggregate(const struct statement *s, const struct expr *value) {
    if (value->kind != EXPR_CALL || value->window)
        return false;
    const struct token *name = &s->tokens[value->name.last];
    const struct function *function =
        name->type == TOKEN_WORD ? function_named(name->at, name->length)
                                 : NULL;
    return function && function->kind == FUNCTION_AGGREGATE;
}

static bool list_has_aggregate(const struct statement *s,
                               const struct exprs *list) {
    for (const struct expr *one = list->first; one; one = one->next)
        if (grouping_has_aggregate(s, one))
            return true;
    return false;
}

static bool window_has_aggregate(const struct statement *s,
                                 const struct window *window) {
    for (const struct order_term *one = window->order.first; one;
         one = one->next)
        if (grouping_has_aggregate(s, one->value))
            return true;
    return list_has_aggregate(s, &window->partition);
}

// Subqueries are not part of it.
bool grouping_has_aggregate(const struct statement *s,
                            const struct expr *value) {
    if (!value)
        return false;
    return is_aggregate(s, value) || grouping_has_aggregate(s, value->left) ||
           grouping_has_aggregate(s, value->right) ||
           grouping_has_aggregate(s, value->third) ||
           list_has_aggregate(s, &value->list) ||
           (value->window && window_has_aggregate(s, value->window));
}

bool grouping_list_has_aggregate(const struct statement *s,
                                 const struct items *items) {
    for (const struct item *one = items->first; one; one = one->next)
        if (grouping_has_aggregate(s, one->value))
            return true;
    return false;
}

static const struct expr *inside(const struct expr *value) {
    while (value && value->kind == EXPR_PARENTHESIZED)
        value = value->left;
    return value;
}

static bool same_lists(const struct statement *s, const struct exprs *a,
                       const struct exprs *b) {
    const struct expr *x = a->first, *y = b->first;
    for (; x && y; x = x->next, y = y->next)
        if (!grouping_same(s, x, y))
            return false;
    return !x && !y;
}

static bool same_tokens(const struct statement *s, const struct expr *a,
                        const struct expr *b) {
    if (a->to - a->from != b->to - b->from)
        return false;
    for (unsigned i = 0; i < a->to - a->from; i++)
        if (!name_equals(&s->tokens[a->from + i], &s->tokens[b->from + i]))
            return false;
    return true;
}

// Literals are compared by their letters, whose case counts in a text.
static bool same_literals(const struct statement *s, const struct expr *a,
                          const struct expr *b) {
    const struct token *x = &s->tokens[a->to - 1], *y = &s->tokens[b->to - 1];
    if (x->length != y->length || a->negative != b->negative)
        return false;
    for (size_t i = 0; i < x->length; i++)
        if (x->at[i] != y->at[i])
            return false;
    return true;
}

bool grouping_same(const struct statement *s, const struct expr *a,
                   const struct expr *b) {
    a = inside(a);
    b = inside(b);
    if (!a || !b || a->kind != b->kind)
        return a == b;
    switch (a->kind) {
    case EXPR_TEXT:
    case EXPR_NUMBER:
    case EXPR_BINARY_NUMBER:
    case EXPR_DATE:
    case EXPR_TIMESTAMP:
        return same_literals(s, a, b);
    case EXPR_SUBQUERY:
    case EXPR_IN_QUERY:
    case EXPR_EXISTS:
    case EXPR_CAST:
    case EXPR_INTERVAL:
        return same_tokens(s, a, b);
    case EXPR_BIND:
        return a->from == b->from ||
               name_equals(&s->tokens[a->from], &s->tokens[b->from]);
    case EXPR_COLUMN:
        return names_equal(s, a->name, b->name);
    case EXPR_CALL:
        if (a->window || b->window)
            return same_tokens(s, a, b);
        break;
    default:
        break;
    }
    return a->sign == b->sign && a->side == b->side &&
           a->negative == b->negative && a->negated == b->negated &&
           a->distinct == b->distinct && a->star == b->star &&
           ((a->kind != EXPR_CALL && a->kind != EXPR_EXTRACT) ||
            names_equal(s, a->name, b->name)) &&
           grouping_same(s, a->left, b->left) &&
           grouping_same(s, a->right, b->right) &&
           grouping_same(s, a->third, b->third) &&
           same_lists(s, &a->list, &b->list);
}

// Whether a GROUP BY column is this one; one of them may be qualified.
static bool is_grouped_column(const struct statement *s, const struct expr *by,
                              const struct expr *column) {
    by = inside(by);
    return by->kind == EXPR_COLUMN &&
           name_equals(&s->tokens[by->name.last],
                       &s->tokens[column->name.last]) &&
           (by->name.first == by->name.last ||
            column->name.first == column->name.last);
}

bool grouping_is_by(const struct statement *s, const struct expr *by,
                    const struct expr *value) {
    return grouping_same(s, by, value) ||
           (value->kind == EXPR_COLUMN && !value->function && !value->stored &&
            is_grouped_column(s, by, value));
}

static void check(struct resolver *r, const struct block *block,
                  const struct expr *value);

static void check_list(struct resolver *r, const struct block *block,
                       const struct exprs *list) {
    for (const struct expr *one = list->first; one; one = one->next)
        check(r, block, one);
}

static void check_order(struct resolver *r, const struct block *block,
                        const struct order_terms *order) {
    for (const struct order_term *one = order->first; one; one = one->next)
        if (!one->item && !one->by_position)
            check(r, block, one->value);
}

static void check(struct resolver *r, const struct block *block,
                  const struct expr *value) {
    if (!value || r->s->error || is_aggregate(r->s, value))
        return;
    statement_work(r->s, block->group.count + 1);
    for (const struct expr *by = block->group.first; by; by = by->next)
        if (grouping_is_by(r->s, by, value))
            return;
    if (value->kind == EXPR_COLUMN && !value->function && !value->stored)
        statement_refuse(r->s, block->group.count > 0 ? 979 : 937, value->from,
                         "");
    check(r, block, value->left);
    check(r, block, value->right);
    check(r, block, value->third);
    check_list(r, block, &value->list);
    if (value->window) {
        check_list(r, block, &value->window->partition);
        check_order(r, block, &value->window->order);
    }
}

void grouping_check(struct resolver *r, const struct block *block) {
    for (const struct item *one = block->items.first; one; one = one->next)
        if (one->star)
            statement_refuse(r->s, block->group.count > 0 ? 979 : 937,
                             one->from, "");
        else
            check(r, block, one->value);
    check(r, block, block->having);
    check_order(r, block, &block->order);
}
