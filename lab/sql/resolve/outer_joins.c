// SPDX-License-Identifier: GPL-2.0-or-later
// The outer joins of a WHERE: a.x = b.y(+) keeps the rows of a that have none
// in b. The conditions with a table's (+) become those of a LEFT JOIN of it.
#include "sql/resolve/resolver.h"

// The tables that a condition names.
struct named {
    struct source *outer; // with (+)
    bool several;         // of those
    bool subquery;
    const struct expr *mark; // the first (+)
};

static void search(struct resolver *r, const struct expr *value,
                   struct named *to) {
    if (!value)
        return;
    statement_work(r->s, 1);
    if (value->outer) {
        to->several = to->several || (to->outer && to->outer != value->source);
        to->outer = value->source;
        to->mark = to->mark ? to->mark : value;
    }
    to->subquery = to->subquery || value->query;
    search(r, value->left, to);
    search(r, value->right, to);
    search(r, value->third, to);
    for (const struct expr *one = value->list.first; one; one = one->next)
        search(r, one, to);
}

// Whether the value needs another table, or its own without (+).
static bool needs(struct resolver *r, const struct expr *value,
                  const struct source *table, bool marked) {
    if (!value)
        return false;
    statement_work(r->s, 1);
    if (value->kind == EXPR_COLUMN && value->source == table &&
        value->outer == marked)
        return true;
    if (needs(r, value->left, table, marked) ||
        needs(r, value->right, table, marked) ||
        needs(r, value->third, table, marked))
        return true;
    for (const struct expr *one = value->list.first; one; one = one->next)
        if (needs(r, one, table, marked))
            return true;
    return false;
}

static const struct expr *inside(const struct expr *condition) {
    while (condition->kind == EXPR_CONDITION || condition->kind == EXPR_NOT)
        condition = condition->left;
    return condition;
}

// Gives the condition to its table. False: it has no (+).
static bool take(struct resolver *r, struct expr *condition) {
    struct named result = {0};
    search(r, condition, &result);
    if (!result.mark || r->s->error)
        return false;
    const struct expr *kind = inside(condition);
    const unsigned mark = result.mark->from;
    if (kind->kind == EXPR_OR ||
        (kind->kind == EXPR_IN_LIST && kind->list.count > 1))
        statement_refuse(r->s, 1719, mark, "");
    else if (kind->kind == EXPR_AND)
        statement_refuse(r->s, 3001, mark, "(+) in parentheses");
    else if (result.several)
        statement_refuse(r->s, 1468, mark, "");
    else if (result.subquery)
        statement_refuse(r->s, 1799, mark, "");
    else if (!result.outer)
        statement_refuse(r->s, 3001, mark, "(+) of such a column");
    else if (needs(r, condition, result.outer, false))
        statement_refuse(r->s, 3001, mark, "a table with and without (+)");
    else
        exprs_append(&result.outer->outer, condition);
    return true;
}

// WHERE without the conditions that tables have taken; NULL: nothing is left.
static struct expr *without(struct resolver *r, struct expr *where) {
    enum sign sign;
    if (where->kind != EXPR_AND)
        return !rownum_bound(where, &sign) && take(r, where) ? NULL : where;
    struct expr *left_operand = without(r, where->left);
    struct expr *right = without(r, where->right);
    if (!left_operand || !right)
        return left_operand ? left_operand : right;
    where->left = left_operand;
    where->right = right;
    return where;
}

// Whether all other tables that the conditions of `table` name are joined.
static bool is_ready(struct resolver *r, const struct block *block,
                     const struct source *table) {
    for (const struct source *other = block->sources; other;
         other = other->next) {
        if (other == table || other->outer.count == 0 || other->joined)
            continue;
        for (const struct expr *one = table->outer.first; one; one = one->next)
            if (needs(r, one, other, false))
                return false;
    }
    return true;
}

static void put_in_order(struct resolver *r, struct block *block,
                         unsigned tables) {
    struct source **next = &block->outer;
    for (unsigned n = 0; n < tables && !r->s->error; n++) {
        struct source *source = block->sources;
        while (source && (source->outer.count == 0 || source->joined ||
                          !is_ready(r, block, source)))
            source = source->next;
        if (!source) {
            statement_refuse(r->s, 1416, block->from, "");
            return;
        }
        source->joined = true;
        *next = source;
        next = &source->next_outer;
    }
}

static bool has_joins(const struct block *block) {
    for (const struct join *one = block->joins.first; one; one = one->next)
        if (one->kind != JOIN_SOURCE)
            return true;
    return false;
}

static void check_star(struct resolver *r, const struct block *block) {
    const struct source *source = block->sources;
    for (; source; source = source->next)
        if (source->query && !source->alias && !source->view)
            statement_refuse(r->s, 3001, block->from,
                             "* of (+) and a query without a name");
}

void resolve_outer_joins(struct resolver *r, struct block *block) {
    unsigned outer = 0, all = 0;
    if (!block->where)
        return;
    const unsigned token = block->where->from;
    block->where = without(r, block->where);
    for (const struct source *one = block->sources; one; one = one->next) {
        outer += one->outer.count > 0;
        all++;
    }
    if (outer == 0 || r->s->error)
        return;
    if (has_joins(block))
        statement_refuse(r->s, 25156, token, "");
    else if (block->limited && (block->grouped || block->order.first))
        statement_refuse(r->s, 3001, token, "(+) with ROWNUM and groups");
    put_in_order(r, block, outer);
    if (outer == all)
        statement_refuse(r->s, 3001, token, "(+) of every table");
    for (const struct item *one = block->items.first; one; one = one->next)
        if (one->star && !one->table.first)
            check_star(r, block);
}
