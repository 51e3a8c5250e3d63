// SPDX-License-Identifier: GPL-2.0-or-later
// ORDER BY: positions and aliases denote items of the select list, and values
// that SQLite orders differently are sorted by a key.
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sql/resolve/resolver.h"

static bool is_position(const struct expr *value) {
    return value->kind == EXPR_NUMBER && value->to == value->from + 1;
}

static bool is_bare_name(const struct expr *value) {
    return value->kind == EXPR_COLUMN && value->name.first == value->name.last;
}

static void set_key(struct resolver *r, struct order_term *term,
                    enum operand_type type) {
    if (operand_is_lob(type))
        statement_refuse(r->s, 932, term->value->from, "a LOB has no order");
    term->by_key = !operand_orders_natively(type);
}

// The column at the position that a literal gives. NULL after refusing.
static const struct column_def *at_position(struct resolver *r,
                                            const struct column_defs *columns,
                                            struct order_term *term) {
    const struct token *token = &r->s->tokens[term->value->from];
    char *end;
    const unsigned long n = strtoul(token->at, &end, 10);
    const struct column_def *column = columns->first;
    if (end != token->at + token->length || n < 1 || n > columns->count) {
        statement_refuse(r->s, 1785, term->value->from, "");
        return NULL;
    }
    for (unsigned long i = 1; i < n; i++)
        column = column->next;
    term->by_position = true;
    term->position = (unsigned)n;
    return column;
}

static bool has_star(const struct block *block) {
    for (const struct item *one = block->items.first; one; one = one->next)
        if (one->star)
            return true;
    return false;
}

static void resolve_position(struct resolver *r, struct order_term *term,
                             struct block *block) {
    const bool star = has_star(block);
    const struct column_def *column =
        block->columns.known ? at_position(r, &block->columns, term) : NULL;
    if (!block->columns.known ||
        (column && star && !operand_orders_natively(column->type)))
        statement_refuse(r->s, 3001, term->value->from,
                         "ORDER BY the position of such a column");
    if (!column)
        return;
    set_key(r, term, column->type);
    struct item *item = block->items.first;
    for (unsigned i = 1; !star && i < term->position; i++)
        item = item->next;
    term->item = star ? NULL : item;
}

static struct item *item_named(struct resolver *r, struct block *block,
                               unsigned name) {
    struct item *item = NULL;
    for (struct item *one = block->items.first; one; one = one->next)
        if (one->alias &&
            name_equals(&r->s->tokens[one->alias], &r->s->tokens[name])) {
            if (item)
                statement_refuse(r->s, 960, name, "");
            item = one;
        }
    return item;
}

// With DISTINCT, rows are ordered by values of the select list only.
static bool is_shown(const struct resolver *r, const struct block *block,
                     const struct expr *value) {
    const struct token *tokens = r->s->tokens;
    for (const struct item *one = block->items.first; one; one = one->next) {
        if (one->star || grouping_same(r->s, one->value, value))
            return true;
        if (is_bare_name(value) && one->value->kind == EXPR_COLUMN &&
            name_equals(&tokens[value->name.last],
                        &tokens[one->value->name.last]))
            return true;
    }
    return false;
}

static void resolve_term(struct resolver *r, struct order_term *term,
                         struct block *block) {
    struct expr *value = term->value;
    if (is_position(value)) {
        resolve_position(r, term, block);
        return;
    }
    if (is_bare_name(value))
        term->item = item_named(r, block, value->name.last);
    if (term->item) {
        set_key(r, term, term->item->value->type);
        return;
    }
    if (block->distinct && !is_shown(r, block, value))
        statement_refuse(r->s, 1791, value->from, "");
    resolve_value(r, value);
    set_key(r, term, value->type);
}

void resolve_order(struct resolver *r, struct order_terms *order,
                   struct block *block) {
    for (struct order_term *one = order->first; one && !r->s->error;
         one = one->next)
        resolve_term(r, one, block);
}

// A window's ORDER BY cannot refer to items of the select list: a number is a
// constant.
void resolve_window_order(struct resolver *r, struct order_terms *order) {
    for (struct order_term *one = order->first; one && !r->s->error;
         one = one->next) {
        if (is_position(one->value)) {
            one->value->kind = EXPR_NULL;
            continue;
        }
        resolve_value(r, one->value);
        set_key(r, one, one->value->type);
    }
}

static const struct column_def *column_named(struct resolver *r,
                                             const struct column_defs *columns,
                                             struct order_term *term) {
    const unsigned name = term->value->name.last;
    const struct column_def *match = NULL, *one = columns->first;
    for (unsigned n = 1; one; one = one->next, n++) {
        if (!one->name || !name_spells(&r->s->tokens[name], one->name))
            continue;
        if (match)
            statement_refuse(r->s, 960, name, "");
        match = one;
        term->position = n;
    }
    if (!match)
        statement_refuse_name(r->s, 904, name, name);
    return match;
}

// To the query around the set, a name has to denote one column.
static void check_names(struct resolver *r, const struct query *query) {
    const struct column_defs *columns = &query->columns;
    statement_work(r->s, (size_t)columns->count * columns->count);
    for (const struct column_def *a = columns->first; a && !r->s->error;
         a = a->next)
        for (const struct column_def *b = a->next; b; b = b->next)
            if (strcasecmp(a->name, b->name) == 0)
                statement_refuse(r->s, 3001, query->from,
                                 "ORDER BY of such a set");
}

// Its terms are columns, by position or by the names that the first query gives
// them. SQLite takes nothing else there, so a column that needs a key to be
// sorted by is ordered in a query around the set.
void resolve_set_order(struct resolver *r, struct query *query) {
    enum { MOST_TERMS = 255 };
    const struct column_defs *columns = &query->columns;
    unsigned terms = 0;
    if (!columns->known)
        statement_refuse(r->s, 3001, query->from, "ORDER BY of such a set");
    for (struct order_term *one = query->order.first; one && !r->s->error;
         one = one->next) {
        const struct column_def *column = NULL;
        if (++terms > MOST_TERMS)
            statement_refuse(r->s, 3001, one->value->from,
                             "this many terms in ORDER BY");
        if (is_position(one->value))
            column = at_position(r, columns, one);
        else if (is_bare_name(one->value))
            column = column_named(r, columns, one);
        else
            statement_refuse(r->s, 1785, one->value->from, "");
        if (!column)
            return;
        set_key(r, one, column->type);
        query->set_by_name = query->set_by_name || one->by_key;
    }
    if (query->set_by_name)
        check_names(r, query);
}
