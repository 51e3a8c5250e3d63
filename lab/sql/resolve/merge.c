// SPDX-License-Identifier: GPL-2.0-or-later
// MERGE: the names that each of its parts sees.
#include "sql/resolve/resolver.h"

static void resolve_part(struct resolver *r, struct expr *condition) {
    if (condition)
        resolve_condition(r, condition);
    if (grouping_has_aggregate(r->s, condition))
        statement_refuse(r->s, 934, condition->from, "");
}

// Whether ON names the column of the target.
static bool names(struct resolver *r, const struct expr *value,
                  const struct column_def *column) {
    const struct source *target = r->s->tree->target;
    if (!value || !column)
        return false;
    statement_work(r->s, 1);
    if (value->kind == EXPR_COLUMN && value->source == target &&
        name_spells(&r->s->tokens[value->name.last], column->name))
        return true;
    for (const struct expr *one = value->list.first; one; one = one->next)
        if (names(r, one, column))
            return true;
    return names(r, value->left, column) || names(r, value->right, column) ||
           names(r, value->third, column);
}

static void resolve_update(struct resolver *r, const struct merge *merge) {
    struct assignment *assignment = r->s->tree->assignments.first;
    for (; assignment && !r->s->error; assignment = assignment->next) {
        if (assignment->query) {
            statement_refuse(r->s, 3001, assignment->columns->name.first,
                             "SET of several columns in MERGE");
            return;
        }
        assignment->target = resolve_target_column(r, assignment->column);
        resolve_value(r, assignment->value);
        if (names(r, merge->on, assignment->target))
            statement_refuse_name(r->s, 38104, assignment->column.first,
                                  assignment->column.last);
        for (const struct assignment *other = r->s->tree->assignments.first;
             other != assignment; other = other->next)
            if (other->target == assignment->target)
                statement_refuse(r->s, 957, assignment->column.last, "");
    }
    resolve_part(r, merge->update_if);
}

// A new row has a value for each column: a column that the statement leaves out
// is NULL, which a default would have to take the place of.
static void check_defaults(struct resolver *r) {
    const struct tree *tree = r->s->tree;
    const struct column_def *column = tree->target->columns.first;
    char table[LONGEST_NAME + 1];
    name_spell(&r->s->tokens[tree->target->table.last], table);
    for (; column && r->catalog && r->catalog->has_default;
         column = column->next) {
        const struct names_of_columns *names = tree->columns;
        while (names && names->target != column)
            names = names->next;
        if (!names &&
            r->catalog->has_default(r->catalog->data, table, column->name))
            statement_refuse(r->s, 3001, tree->merge->insert,
                             "a column's default in MERGE");
    }
}

// VALUES may not name the target, which has no such row.
static void blame_target(struct resolver *r) {
    struct statement *s = r->s;
    const struct column_defs *columns = &s->tree->target->columns;
    const unsigned error_token = s->error_at;
    if (s->error == 904 && (scope_find(columns, &s->tokens[error_token]) ||
                            (statement_is(s, error_token + 1, ".") &&
                             scope_find(columns, &s->tokens[error_token + 2]))))
        s->error = 38101;
}

static void resolve_insert(struct resolver *r, const struct merge *merge) {
    struct tree *tree = r->s->tree;
    const unsigned columns = tree->has_columns ? resolve_column_list(r)
                                               : tree->target->columns.count;
    if (tree->values.count != columns)
        statement_refuse(r->s, tree->values.count < columns ? 947 : 913,
                         merge->insert, "");
    resolve_values(r, &tree->values);
    blame_target(r);
    resolve_part(r, merge->insert_if);
    if (tree->has_columns && !r->s->error)
        check_defaults(r);
}

// ON and SET see both tables, VALUES only USING's.
void resolve_merge(struct resolver *r) {
    struct tree *tree = r->s->tree;
    struct merge *merge = tree->merge;
    struct source *target = tree->target;
    struct scope scope = {.block = merge->source};
    resolve_target(r);
    r->scope = &scope;
    if (!r->s->error)
        resolve_sources(r, merge->source);
    if (r->s->error)
        return;
    if (!target->columns.known || !target->own)
        statement_refuse(r->s, 3001, target->table.last, "MERGE into this");
    if (merge->insert)
        resolve_insert(r, merge);
    target->next = merge->source->sources;
    scope.sources = target;
    resolve_part(r, merge->on);
    if (merge->update && !r->s->error)
        resolve_update(r, merge);
    r->scope = NULL;
}
