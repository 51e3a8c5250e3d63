// SPDX-License-Identifier: GPL-2.0-or-later
// CONNECT BY: which rows are children of a row, and the values that a row has
// of its ancestors.
#include <string.h>

#include "sql/functions/function.h"
#include "sql/resolve/resolver.h"

enum { NO_HIERARCHY = 1788, NOT_HERE = 976 };

static struct hierarchy *hierarchy_around(const struct resolver *r) {
    return r->scope && r->scope->block ? r->scope->block->hierarchy : NULL;
}

static bool is_level(const struct resolver *r, const struct expr *value) {
    return value->kind == EXPR_COLUMN &&
           value->name.first == value->name.last &&
           statement_is(r->s, value->name.last, "level");
}

// The usual row generator: LEVEL <= n of DUAL.
static bool is_generator(const struct resolver *r, const struct block *block) {
    const struct hierarchy *hierarchy = block->hierarchy;
    const struct expr *condition = hierarchy->connect;
    const struct join *join = block->joins.first;
    return condition->kind == EXPR_COMPARISON && !hierarchy->start &&
           (condition->left->kind == EXPR_ROWNUM ||
            is_level(r, condition->left)) &&
           (condition->sign == SIGN_LESS || condition->sign == SIGN_AT_MOST) &&
           !block->where && !block->order.siblings && !join->next &&
           join->kind == JOIN_SOURCE && !join->source->query &&
           statement_is(r->s, join->source->table.last, "dual");
}

void hierarchy_begin(struct resolver *r, struct block *block) {
    block->hierarchy->block = block;
    block->hierarchy->generates = is_generator(r, block);
    for (struct source *one = block->sources; one; one = one->next) {
        one->hierarchy = block->hierarchy;
        const bool named = one->alias || !one->query || one->view;
        if (!one->columns.known || (!named && block->sources->next))
            statement_refuse(r->s, 3001, block->hierarchy->from,
                             "CONNECT BY of a query without a name, or of "
                             "unknown columns");
    }
}

static void carry(struct carried *list, struct expr *value) {
    value->carried = ++list->count;
    if (list->last)
        list->last->next_carried = value;
    else
        list->first = value;
    list->last = value;
}

bool hierarchy_has_pseudo_column(struct resolver *r, struct expr *column) {
    static const char *const names[] = {"level", "connect_by_isleaf",
                                        "connect_by_iscycle"};
    const unsigned name = column->name.last;
    struct hierarchy *hierarchy = hierarchy_around(r);
    bool matches = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        matches = matches || statement_is(r->s, name, names[i]);
    if (!matches || column->name.first < name)
        return false;
    const bool level = statement_is(r->s, name, names[0]);
    if (!hierarchy)
        statement_refuse(r->s, NO_HIERARCHY, name, "");
    else if (!level && hierarchy->connecting)
        statement_refuse(r->s, NOT_HERE, name, "");
    else if (statement_is(r->s, name, names[2]) && !hierarchy->nocycle)
        statement_refuse(r->s, 30930, name, "");
    if (!hierarchy)
        return true;
    if (!level)
        hierarchy->generates = false;
    column->hierarchy = hierarchy;
    column->type = column->shown = OPERAND_SMALL;
    return true;
}

static bool has_ancestors(const struct expr *value);

static bool list_has_ancestors(const struct exprs *list) {
    for (const struct expr *one = list->first; one; one = one->next)
        if (has_ancestors(one))
            return true;
    return false;
}

// Whether it is more than a value of the row's columns.
static bool has_ancestors(const struct expr *value) {
    return value &&
           (value->hierarchy || has_ancestors(value->left) ||
            has_ancestors(value->right) || has_ancestors(value->third) ||
            list_has_ancestors(&value->list));
}

void hierarchy_carry(struct resolver *r, struct expr *value) {
    struct hierarchy *hierarchy = hierarchy_around(r);
    const bool prior = value->kind == EXPR_PRIOR;
    struct expr *inside =
        value->kind == EXPR_CALL ? value->list.first : value->left;
    if (!hierarchy)
        statement_refuse(r->s, NO_HIERARCHY, value->from, "");
    else if (hierarchy->connecting && !prior)
        statement_refuse(r->s, NOT_HERE, value->from, "");
    if (r->s->error)
        return;
    if (value->kind != EXPR_CALL)
        resolve_value(r, inside);
    if ((has_ancestors(inside) && !is_level(r, inside)) ||
        grouping_has_aggregate(r->s, inside))
        statement_refuse(r->s, 3001, value->from,
                         "this in PRIOR, CONNECT_BY_ROOT or "
                         "SYS_CONNECT_BY_PATH");
    value->hierarchy = hierarchy;
    hierarchy->generates = false;
    carry(hierarchy->connecting ? &hierarchy->priors : &hierarchy->values,
          value);
    if (value->kind == EXPR_CALL)
        return;
    value->type = inside->type;
    value->shown = inside->shown;
    value->fixed = inside->fixed;
}

static const struct source *first_source(const struct block *block,
                                         const struct expr *value,
                                         const struct source *other);

static const struct source *source_in_list(const struct block *block,
                                           const struct exprs *list,
                                           const struct source *other) {
    const struct source *source = NULL;
    for (const struct expr *one = list->first; one && !source; one = one->next)
        source = first_source(block, one, other);
    return source;
}

// A table of the block that the value names, other than `other`.
static const struct source *first_source(const struct block *block,
                                         const struct expr *value,
                                         const struct source *other) {
    const struct source *source = NULL;
    if (!value)
        return NULL;
    if (value->kind == EXPR_COLUMN && value->source != other && value->source &&
        value->source->hierarchy == block->hierarchy)
        return value->source;
    if (value->hierarchy)
        return NULL;
    source = first_source(block, value->left, other);
    source = source ? source : first_source(block, value->right, other);
    source = source ? source : first_source(block, value->third, other);
    return source ? source : source_in_list(block, &value->list, other);
}

bool hierarchy_joins(const struct block *block, const struct expr *condition) {
    const struct source *source = first_source(block, condition, NULL);
    return source && first_source(block, condition, source) &&
           !has_ancestors(condition);
}

static void resolve_siblings(struct resolver *r, const struct block *block) {
    const struct order_term *term = block->order.first;
    if (!block->order.siblings)
        return;
    if (block->grouped || block->distinct)
        statement_refuse(r->s, 30929, block->order.siblings, "");
    for (; term; term = term->next) {
        if (term->by_position && !term->item)
            statement_refuse(r->s, 3001, term->value->from,
                             "ORDER SIBLINGS BY a position here");
        if (has_ancestors(term->item ? term->item->value : term->value))
            statement_refuse(r->s, NOT_HERE, term->value->from, "");
    }
}

void hierarchy_resolve(struct resolver *r, struct block *block) {
    struct hierarchy *hierarchy = block->hierarchy;
    if (hierarchy->generates) {
        resolve_value(r, hierarchy->connect->right);
        return;
    }
    hierarchy->connecting = true;
    resolve_condition(r, hierarchy->connect);
    const unsigned priors = hierarchy->priors.count;
    if (hierarchy->start)
        resolve_condition(r, hierarchy->start);
    hierarchy->connecting = false;
    if (hierarchy->priors.count > priors)
        statement_refuse(r->s, NOT_HERE, hierarchy->start->from, "");
    if (grouping_has_aggregate(r->s, hierarchy->connect) ||
        grouping_has_aggregate(r->s, hierarchy->start))
        statement_refuse(r->s, 934, hierarchy->from, "");
    if (block->rollup > 0 || block->limited_first)
        statement_refuse(r->s, 3001, hierarchy->from,
                         "CONNECT BY with ROLLUP, or with ROWNUM and groups, "
                         "windows or an order");
    for (const struct source *one = block->sources; one; one = one->next)
        if (one->rowids)
            statement_refuse(r->s, 3001, hierarchy->from,
                             "ROWID with CONNECT BY");
    resolve_siblings(r, block);
}
