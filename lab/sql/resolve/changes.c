// SPDX-License-Identifier: GPL-2.0-or-later
// INSERT, UPDATE and DELETE: the columns that they change, and the values
// for them.
#include <stdio.h>
#include <string.h>

#include "sql/resolve/resolver.h"

void resolve_target(struct resolver *r) {
    struct source *target = r->s->tree->target;
    resolve_table(r, target);
    if (target->place == PLACE_REMOTE)
        statement_refuse(r->s, 2064, target->table.last, "");
    if (target->query)
        statement_refuse(r->s, 3001, target->table.last,
                         "changes through a view");
    if (target->place == PLACE_VIEW)
        statement_refuse(r->s, 1031, target->table.last, "");
}

// The column of the table that a name denotes. NULL if it has none, or is
// unknown.
const struct column_def *resolve_target_column(struct resolver *r,
                                               struct name name) {
    const struct source *target = r->s->tree->target;
    if (!scope_is_called(r, target, name)) {
        statement_refuse_name(r->s, 904, name.last - 2, name.last);
        return NULL;
    }
    if (r->s->tokens[name.last].length > LONGEST_NAME)
        statement_refuse(r->s, 972, name.last, "");
    const struct column_def *column =
        scope_find(&target->columns, &r->s->tokens[name.last]);
    if (!column && target->columns.known)
        statement_refuse_name(r->s, 904, name.last, name.last);
    return column;
}

unsigned resolve_column_list(struct resolver *r) {
    unsigned count = 0;
    for (struct names_of_columns *one = r->s->tree->columns; one;
         one = one->next, count++) {
        one->target = resolve_target_column(r, one->name);
        for (struct names_of_columns *other = r->s->tree->columns;
             other != one && one->target; other = other->next)
            if (other->target == one->target)
                statement_refuse(r->s, 957, one->name.last, "");
    }
    statement_work(r->s, (size_t)count * count);
    return count;
}

static void check_count(struct resolver *r, unsigned values, unsigned columns) {
    if (r->s->tree->target->columns.known && values != columns)
        statement_refuse(r->s, values < columns ? 947 : 913, 0, "");
}

static void resolve_insert(struct resolver *r) {
    struct tree *tree = r->s->tree;
    resolve_target(r);
    const unsigned columns = tree->has_columns ? resolve_column_list(r)
                                               : tree->target->columns.count;
    if (tree->query) {
        resolve_query(r, tree->query);
        if (tree->query->columns.known)
            check_count(r, tree->query->columns.count, columns);
    } else {
        r->sequences_allowed = true;
        resolve_values(r, &tree->values);
        r->sequences_allowed = false;
        check_count(r, tree->values.count, columns);
    }
}

static void resolve_conditions(struct resolver *r) {
    struct expr *where = r->s->tree->where;
    if (rownum_limits(where))
        statement_refuse(r->s, 3001, where->from, "ROWNUM here");
    if (where)
        resolve_condition(r, where);
    if (grouping_has_aggregate(r->s, where))
        statement_refuse(r->s, 934, where->from, "");
}

static void resolve_row_assignment(struct resolver *r, struct assignment *one) {
    unsigned count = 0;
    for (struct names_of_columns *column = one->columns; column;
         column = column->next, count++)
        column->target = resolve_target_column(r, column->name);
    resolve_row_query(r, one->query, count);
}

static void resolve_update(struct resolver *r) {
    for (struct assignment *one = r->s->tree->assignments.first;
         one && !r->s->error; one = one->next) {
        if (one->query) {
            resolve_row_assignment(r, one);
            continue;
        }
        one->target = resolve_target_column(r, one->column);
        r->sequences_allowed = true;
        resolve_value(r, one->value);
        r->sequences_allowed = false;
    }
    resolve_conditions(r);
}

void resolve_returning(struct resolver *r) {
    struct returning *returning = r->s->tree->returning;
    if (!returning)
        return;
    resolve_values(r, &returning->values);
    const unsigned values = returning->values.count;
    const unsigned binds = returning->into.count;
    if (binds != values)
        statement_refuse(r->s, binds < values ? 947 : 913, 0, "");
}

void resolve_change(struct resolver *r) {
    struct tree *tree = r->s->tree;
    struct scope scope = {.sources = tree->target};
    if (tree->kind == TREE_INSERT) {
        resolve_insert(r);
        r->scope = &scope;
    } else {
        resolve_target(r);
        r->scope = &scope;
        if (tree->kind == TREE_UPDATE && !r->s->error)
            resolve_update(r);
        else if (!r->s->error)
            resolve_conditions(r);
    }
    if (!r->s->error)
        resolve_returning(r);
    r->scope = NULL;
}
