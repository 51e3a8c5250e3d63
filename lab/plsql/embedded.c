// SPDX-License-Identifier: GPL-2.0-or-later
// An SQL statement in a block. It is resolved here to know which of its names
// are variables: those that no table has. A cursor of its own executes its text
// with binds in their place.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plsql/compile.h"
#include "plsql/statement_text.h"
#include "sql/resolve/resolve.h"

struct resolving {
    struct compiler *c;
    struct reference *first;
};

static struct reference *add(struct resolving *r, unsigned from, unsigned to,
                             struct code *code) {
    struct reference *new_reference = compile_take(r->c, sizeof *new_reference);
    *new_reference = (struct reference){r->first, from, to, code};
    r->first = new_reference;
    return new_reference;
}

// The resolver's question: see statement.h.
static bool variable(struct statement *s, struct expr *value, void *block) {
    struct resolving *r = block;
    struct code *code = compile_reference(r->c, value);
    if (!code)
        return false;
    if (code->type->kind != TYPE_SCALAR && !s->error)
        statement_refuse_plsql(s, value->from,
                               "PLS-00382: expression is of wrong type");
    add(r, value->from, value->to, code);
    const struct expr previous = *value;
    *value = (struct expr){.kind = EXPR_VARIABLE,
                           .from = previous.from,
                           .to = previous.to,
                           .next = previous.next,
                           .bind = 1,
                           .fixed = code->type->column.fixed,
                           .type = code->type->operand,
                           .shown = code->type->operand};
    return true;
}

static struct code *of_bind(void *data, unsigned token) {
    const struct resolving *r = data;
    return code_of_bind(r->c, token, false);
}

// COMMIT, ROLLBACK, SAVEPOINT, SET TRANSACTION, LOCK TABLE: none of their names
// can be a variable's.
static bool is_control(const struct statement *s) {
    static const char *const words[] = {"commit", "rollback", "savepoint",
                                        "set", "lock"};
    bool is = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        is = is || statement_is(s, 0, words[i]);
    return is;
}

// The error of the statement becomes one of the block's compilation.
static void take_error(struct compiler *c, unsigned token,
                       const struct statement *s) {
    struct statement *unit = &c->unit->s;
    struct ora_error error;
    char about[sizeof unit->about];
    unsigned line, column;
    if (s->error == 3001 || s->error == 6550 || s->error == 1013 ||
        s->error == 4030) {
        statement_refuse(unit, s->error, token, s->about);
        return;
    }
    ora_error_set(&error, s->error, s->about);
    statement_place(s, s->error_at, &line, &column);
    snprintf(about, sizeof about, "line %u, column %u:\nPL/SQL: %.150s", line,
             column, error.text);
    statement_refuse(unit, 6550, token, about);
}

static void take_into(struct compiler *c, struct resolving *r,
                      struct embedded *e) {
    const struct tree *tree = e->s.tree;
    const struct block *block = tree->query ? tree->query->first : NULL;
    const struct exprs *into = NULL;
    if (tree->returning) {
        into = &tree->returning->into;
        e->returns = true;
        e->bulk = tree->returning->bulk;
    } else if (tree->kind == TREE_QUERY && block->into.first) {
        into = &block->into;
        e->bulk = block->bulk;
        add(r, block->into_from, block->into_to, NULL);
    }
    if (!into)
        return;
    e->intos = into->count;
    e->into = compile_targets(c, into);
    unsigned n = 0;
    for (const struct expr *one = into->first; one && e->returns;
         one = one->next)
        add(r, one->from, one->to, e->into[n++]);
    if (e->returns && e->bulk)
        add(r, tree->returning->into_from, tree->returning->into_from + 2,
            NULL);
}

static void compile_tree(struct compiler *c, struct resolving *r,
                         struct embedded *e) {
    struct database *database = c->unit->session->database;
    const struct catalog catalog = catalog_of(database);
    e->kind = e->s.tree->kind;
    if (e->kind > TREE_DELETE) {
        statement_refuse(&e->s, 3001, 0, "this statement in PL/SQL");
        return;
    }
    take_into(c, r, e); // first: the resolver counts them
    if (!resolve_tree(&e->s, database->own_schema, &catalog))
        return;
    if (e->kind == TREE_QUERY)
        e->row = type_of_row(c, &e->s.tree->query->columns);
}

static void compile_text(struct compiler *c, struct embedded *e) {
    struct resolving resolving = {.c = c};
    struct code **bind = NULL;
    if (!e->control && !e->s.error) {
        e->s.variable = variable;
        e->s.block = &resolving;
        if (parse_tree(&e->s) && !c->s->error)
            compile_tree(c, &resolving, e);
        e->s.variable = NULL;
    }
    if (e->s.error || c->unit->s.error)
        return;
    bind = calloc(e->s.count + 1, sizeof *bind);
    if (bind)
        e->text = statement_text(&e->s, resolving.first, of_bind, &resolving,
                                 bind, &e->length);
    if (!e->text)
        statement_refuse(&e->s, 4030, 0, "");
    while (bind && e->text && bind[e->binds])
        e->binds++;
    e->bind = code_array(c, e->binds);
    if (e->binds > 0 && !c->unit->s.error)
        memcpy(e->bind, bind, e->binds * sizeof *bind);
    free(bind);
}

struct embedded *compile_sql(struct compiler *c, unsigned token) {
    const struct token *first = &c->s->tokens[token];
    const struct token *last = &c->s->tokens[first->end - 1];
    const char *to = last->at + last->length;
    struct embedded *e = compile_take(c, sizeof *e);
    if (c->s->error)
        return NULL;
    if (last->type == TOKEN_QUOTED)
        to++;
    e->unit = c->unit;
    e->token = token;
    e->next = c->unit->embedded;
    c->unit->embedded = e;
    struct statement *outer = c->s;
    struct embedded *around = c->embedded;
    c->s = &e->s;
    c->embedded = e;
    const bool read = parse_read(&e->s, first->at, (size_t)(to - first->at));
    e->s.text = c->unit->s.text; // where its errors are
    if (read) {
        e->control = is_control(&e->s);
        compile_text(c, e);
    }
    c->s = outer;
    c->embedded = around;
    if (e->s.error)
        take_error(c, token, &e->s);
    return outer->error ? NULL : e;
}
