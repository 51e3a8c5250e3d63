// SPDX-License-Identifier: GPL-2.0-or-later
// GROUP BY ROLLUP, CUBE and GROUPING SETS: which groups each of its sets has,
// and the clauses that exclude it.
#include <string.h>
#include <strings.h>

#include "sql/functions/function.h"
#include "sql/resolve/resolver.h"

enum { MOST_LEVELS = 60, MOST_CUBED = 8 };

uint64_t rollup_count(const struct block *block) {
    return block->group_sets == SETS_CUBE     ? 1ULL << block->rollup
           : block->group_sets == SETS_ROLLUP ? block->rollup + 1
                                              : block->rollup;
}

uint64_t rollup_set(const struct block *block, uint64_t n) {
    switch (block->group_sets) {
    case SETS_CUBE:
        return rollup_count(block) - 1 - n;
    case SETS_ROLLUP:
        return (1ULL << (block->rollup - n)) - 1;
    default:
        return 1ULL << n;
    }
}

bool rollup_has(uint64_t set, const struct expr *group) {
    return group->level == 0 || (set >> (group->level - 1) & 1);
}

bool rollup_is_null(const struct statement *s, const struct block *block,
                    uint64_t set, const struct expr *value) {
    bool contains = false;
    for (const struct expr *by = block->group.first; by; by = by->next) {
        if (!grouping_is_by(s, by, value))
            continue;
        if (rollup_has(set, by))
            return false;
        contains = true;
    }
    return contains;
}

static bool is_group(const struct resolver *r, const struct block *block,
                     const struct expr *value) {
    for (const struct expr *by = block->group.first; by; by = by->next)
        if (grouping_is_by(r->s, by, value))
            return true;
    return false;
}

static bool is_grouping(const struct expr *value) {
    return value->kind == EXPR_CALL && value->function &&
           strcmp(value->function->name, "GROUPING") == 0;
}

// A value that is evaluated for each set of groups.
static void check(struct resolver *r, const struct block *block,
                  const struct expr *value) {
    if (!value || r->s->error)
        return;
    statement_work(r->s, 1);
    if (is_grouping(value) && block->rollup == 0)
        statement_refuse(r->s, 30481, value->from, "");
    else if (is_grouping(value) && !is_group(r, block, value->list.first))
        statement_refuse(r->s, 979, value->list.first->from, "");
    else if (block->rollup > 0 && value->window)
        statement_refuse(r->s, 3001, value->from, "OVER with ROLLUP");
    else if (block->rollup > 0 && value->query)
        statement_refuse(r->s, 3001, value->from, "a subquery with ROLLUP");
    check(r, block, value->left);
    check(r, block, value->right);
    check(r, block, value->third);
    for (const struct expr *one = value->list.first; one; one = one->next)
        check(r, block, one);
}

// Rows are sorted by hidden columns, so each shown one needs a name.
static void check_names(struct resolver *r, const struct block *block) {
    const struct column_def *a = block->columns.first;
    statement_work(r->s, (size_t)block->items.count * block->items.count);
    for (; a; a = a->next)
        for (const struct column_def *b = a->next; b; b = b->next)
            if (a->name && b->name && strcasecmp(a->name, b->name) == 0)
                statement_refuse(r->s, 3001, block->from,
                                 "ROLLUP with columns of one name");
}

void rollup_resolve(struct resolver *r, struct block *block) {
    for (const struct expr *one = block->group.first; one; one = one->next)
        if (one->level > block->rollup) {
            block->rollup = one->level;
            block->group_sets = one->sets;
        }
    if (block->rollup >
        (block->group_sets == SETS_CUBE ? MOST_CUBED : MOST_LEVELS))
        statement_refuse(r->s, 3001, block->from, "this many groups");
    for (const struct item *one = block->items.first; one; one = one->next)
        check(r, block, one->value);
    check(r, block, block->having);
    for (const struct order_term *one = block->order.first; one;
         one = one->next)
        check(r, block, one->value);
    if (block->rollup == 0)
        return;
    r->s->tree->sets = true;
    if (block->distinct || block->limited)
        statement_refuse(r->s, 3001, block->from,
                         "ROLLUP with DISTINCT or ROWNUM");
    if (block->order.first)
        check_names(r, block);
}
