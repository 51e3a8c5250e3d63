// SPDX-License-Identifier: GPL-2.0-or-later
// CREATE, DROP and TRUNCATE: names and types of columns, and constraints that
// SQLite can keep.
#include <string.h>
#include <strings.h>

#include "sql/resolve/resolver.h"

static bool same_case(const struct token *a, const struct token *b) {
    return a->length == b->length && strncasecmp(a->at, b->at, a->length) == 0;
}

// SQLite compares names without case: to it, names that differ only in case are
// equal.
static void check_case(struct resolver *r, const struct column_spec *column) {
    const struct token *tokens = r->s->tokens;
    for (const struct column_spec *one = r->s->tree->specs.first; one != column;
         one = one->next) {
        statement_work(r->s, 1);
        if (one->name && same_case(&tokens[one->name], &tokens[column->name]) &&
            !name_equals(&tokens[one->name], &tokens[column->name]))
            statement_refuse(r->s, 3001, column->name,
                             "names that differ in their case alone");
    }
}

static void check_case_of_table(struct resolver *r) {
    char name[LONGEST_NAME + 1];
    if (!r->catalog || !r->catalog->differs_in_case)
        return;
    name_spell(&r->s->tokens[r->s->tree->target->table.last], name);
    if (r->catalog->sequence && r->catalog->sequence(r->catalog->data, name))
        statement_refuse(r->s, 955, r->s->tree->target->table.last, "");
    if (r->catalog->differs_in_case(r->catalog->data, name))
        statement_refuse(r->s, 3001, 0,
                         "names that differ in their case alone");
}

static bool has_constraint(const struct column_spec *column, int kind) {
    for (const struct constraint *one = column->constraints.first; one;
         one = one->next)
        if ((int)one->kind == kind)
            return true;
    return false;
}

static bool is_not_null(const struct resolver *r, unsigned name) {
    const struct token *tokens = r->s->tokens;
    for (const struct column_spec *one = r->s->tree->specs.first; one;
         one = one->next)
        if (one->name && name_equals(&tokens[one->name], &tokens[name]) &&
            has_constraint(one, CONSTRAINT_NOT_NULL))
            return true;
    return false;
}

// SQLite allows NULL in a primary key.
static void check_primary(struct resolver *r, const struct constraint *one) {
    for (const struct name_entry *name = one->columns.first; name;
         name = name->next)
        if (!is_not_null(r, name->token))
            statement_refuse(r->s, 3001, name->token,
                             "a primary key of columns that may be NULL");
}

static void resolve_constraint(struct resolver *r, struct constraint *one) {
    if (one->kind == CONSTRAINT_PRIMARY)
        check_primary(r, one);
    // SQLite treats rows with a NULL in one of the columns as distinct; Oracle
    // only those with NULLs in all of them.
    if (one->kind == CONSTRAINT_UNIQUE && one->columns.count > 1)
        statement_refuse(r->s, 3001, 0, "UNIQUE of several columns");
    if (one->kind == CONSTRAINT_CHECK)
        resolve_condition(r, one->expr);
    if (one->kind == CONSTRAINT_DEFAULT)
        resolve_value(r, one->expr);
    for (const char *at = one->text; at && at + 1 < one->text_end; at++)
        if (at[0] == '*' && at[1] == '/')
            statement_refuse(r->s, 3001, 0, "a comment in this expression");
}

// The columns that CHECK may name: the table's own.
static void take_columns(struct resolver *r, struct source *table) {
    for (const struct column_spec *one = r->s->tree->specs.first; one;
         one = one->next) {
        char *name = statement_take(r->s, LONGEST_NAME + 1);
        if (!one->name)
            continue;
        name_spell(&r->s->tokens[one->name], name);
        const struct column_def def = {
            .name = name,
            .type = operand_type_of_declaration(one->type->declared, true)};
        columns_append(r, &table->columns, &def);
    }
    table->columns.known = true;
}

static void create_table(struct resolver *r) {
    struct tree *tree = r->s->tree;
    struct scope scope = {.sources = tree->target};
    check_case_of_table(r);
    if (tree->query) {
        resolve_query(r, tree->query);
        if (tree->clustered && !r->s->error)
            resolve_clustered(r);
        return;
    }
    for (struct column_spec *one = tree->specs.first; one && !r->s->error;
         one = one->next)
        if (one->name) {
            check_case(r, one);
            type_name_of_column(r, one->type);
        }
    if (r->s->error)
        return;
    if (tree->clustered)
        resolve_clustered(r);
    take_columns(r, tree->target);
    r->scope = &scope;
    for (struct column_spec *one = tree->specs.first; one; one = one->next)
        for (struct constraint *c = one->constraints.first; c; c = c->next)
            resolve_constraint(r, c);
    r->scope = NULL;
}

static bool has_column(const struct resolver *r, unsigned name) {
    return scope_find(&r->s->tree->target->columns, &r->s->tokens[name]);
}

static void alter_table(struct resolver *r) {
    struct tree *tree = r->s->tree;
    const struct alteration *change = &tree->alteration;
    struct column_spec *added = tree->specs.first;
    const unsigned named = change->drops ? change->drops : change->renames;
    struct scope scope = {.sources = tree->target};
    resolve_target(r);
    if (!r->s->error && !tree->target->own)
        statement_refuse(r->s, 1031, tree->target->table.last, "");
    if (named && !has_column(r, named))
        statement_refuse_name(r->s, 904, named, named);
    else if (change->drops && tree->target->columns.count == 1)
        statement_refuse(r->s, 12983, 0, "");
    else if (change->renames && has_column(r, change->to))
        statement_refuse(r->s, 957, change->to, "");
    else if (added && has_column(r, added->name))
        statement_refuse(r->s, 1430, added->name, "");
    if (added && !r->s->error)
        type_name_of_column(r, added->type);
    resolve_alter_clustered(r);
    if (!added || r->s->error)
        return;
    r->scope = &scope;
    for (struct constraint *c = added->constraints.first; c && !r->s->error;
         c = c->next) {
        if (c->kind != CONSTRAINT_NAME && c->kind != CONSTRAINT_NULL &&
            c->kind != CONSTRAINT_NOT_NULL)
            statement_refuse(r->s, 3001, added->name,
                             "a default or a constraint of an added column");
        resolve_constraint(r, c);
    }
    r->scope = NULL;
}

static void create_index(struct resolver *r) {
    const struct tree *tree = r->s->tree;
    if (tree->unique && tree->index.count > 1)
        statement_refuse(r->s, 3001, 0, "UNIQUE of several columns");
    for (const struct expr *one = tree->index.first; one; one = one->next)
        if (one->kind != EXPR_COLUMN || one->name.first < one->name.last)
            statement_refuse(r->s, 3001, one->from, "an index of expressions");
}

void resolve_definition(struct resolver *r) {
    if (r->s->tree->kind == TREE_CREATE_TABLE)
        create_table(r);
    else if (r->s->tree->kind == TREE_CREATE_INDEX)
        create_index(r);
    else if (r->s->tree->kind == TREE_ALTER_TABLE)
        alter_table(r);
    else if (r->s->tree->kind == TREE_TRUNCATE &&
             resolve_is_clustered(r, r->s->tree->target->table))
        statement_refuse(r->s, 3292, r->s->tree->target->table.last, "");
}
