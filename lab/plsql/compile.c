// SPDX-License-Identifier: GPL-2.0-or-later
// Compiles a unit's text to the tree that the interpreter runs.
#include "plsql/compile.h"
#include "plsql/query.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

struct unit *unit_new(struct plsql_session *session, const char *text,
                      size_t length) {
    struct unit *unit = calloc(1, sizeof *unit);
    if (!unit)
        return NULL;
    unit->session = session;
    unit->text = malloc(length + 1);
    if (!unit->text) {
        free(unit);
        return NULL;
    }
    memcpy(unit->text, text, length);
    unit->text[length] = '\0';
    unit->generation = session->generation;
    return unit;
}

static void free_codes(struct unit *unit) {
    for (struct code *one = unit->codes; one; one = one->next) {
        sqlite3_finalize(one->statement);
        free(one->sql);
        scalar_free(&one->constant);
    }
}

static void free_package(struct unit *unit) {
    struct package *package = &unit->package;
    for (struct variable *one = package->variables; one && package->value;
         one = one->next)
        value_free(&package->value[one->slot], one->type);
    sqlite3_free(package->value);
}

void unit_free(struct unit *unit) {
    if (!unit)
        return;
    unit_free(unit->body);
    free_package(unit);
    free_codes(unit);
    for (struct embedded *one = unit->embedded; one; one = one->next) {
        if (one->idle)
            plsql_query_free(one->idle);
        free(one->text);
        parse_free(&one->s);
    }
    parse_free(&unit->s);
    free(unit->text);
    free(unit);
}

// The routine that is the block itself.
static struct routine *main_routine(struct compiler *c) {
    struct routine *new_routine = compile_take(c, sizeof *new_routine);
    new_routine->unit = c->unit;
    new_routine->level = 1;
    new_routine->compiled = true;
    return new_routine;
}

static void compile_anonymous(struct compiler *c) {
    struct tree *tree = c->unit->s.tree;
    c->routine = c->unit->main = main_routine(c);
    c->routine->body = tree->block;
    scope_enter(c);
    compile_block(c, tree->block, tree->block->label);
}

static void compile_stored_routine(struct compiler *c, struct unit_tree *tree) {
    scope_enter(c);
    c->unit->scope = c->scope;
    c->unit->main = declare_routine(c, tree->routine);
    if (c->s->error)
        return;
    scope_add(c, SYMBOL_ROUTINE, tree->routine->name)->routine = c->unit->main;
    compile_routine_body(c, c->unit->main);
}

// The names of the specification are around those of the body.
static void compile_package(struct compiler *c, struct unit_tree *tree) {
    struct unit *unit = c->unit;
    if (unit->specification)
        c->scope = unit->specification->scope;
    struct scope *scope = scope_enter(c);
    scope->package = &unit->package;
    scope->label = unit->name;
    unit->scope = scope;
    c->routine = unit->main = main_routine(c);
    unit->main->level = 0;
    compile_declarations(c, &tree->declarations);
    unit->main->body = tree->body;
    scope_enter(c); // of its initialization
    if (tree->body)
        compile_block(c, tree->body, 0);
    for (struct symbol *one =
             unit->specification ? unit->specification->scope->symbols : NULL;
         one && !c->s->error; one = one->next)
        for (struct routine *r = one->kind == SYMBOL_ROUTINE ? one->routine
                                                             : NULL;
             r && !c->s->error; r = r->next) {
            if (r->body && !r->compiled)
                compile_routine_body(c, r);
            else if (!r->body)
                refuse_name(c, tree->name.last,
                            "PLS-00323: a subprogram is declared in a package "
                            "specification and must be defined in the package "
                            "body of '%s'",
                            tree->name);
        }
}

// The uses of each bind of a block were noted as bits.
static void settle_directions(struct unit *unit, struct cursor *cursor) {
    enum { READ = 1, SET = 2 };
    for (unsigned i = 0; i < unit->s.binds; i++) {
        uint8_t *direction = &cursor->block.direction[i];
        const unsigned used = *direction & (READ | SET);
        *direction = used == SET            ? DIRECTION_OUT
                     : used == (READ | SET) ? DIRECTION_IN_OUT
                                            : DIRECTION_IN;
    }
}

bool unit_compile(struct unit *unit, struct cursor *cursor,
                  struct ora_error *error) {
    struct statement *s = &unit->s;
    struct compiler c = {.unit = unit, .s = s, .cursor = cursor};
    if (parse_read(s, unit->text, strlen(unit->text)) && parse_tree(s)) {
        struct unit_tree *tree = s->tree->unit;
        if (s->tree->kind == TREE_BLOCK)
            compile_anonymous(&c);
        else if (tree->kind == UNIT_ROUTINE)
            compile_stored_routine(&c, tree);
        else
            compile_package(&c, tree);
    }
    if (s->error) {
        ora_error_set(error, s->error, s->about);
        error->position =
            s->error_at <= s->own
                ? (unsigned)(s->tokens[s->error_at].at - unit->text)
                : 0;
        return false;
    }
    if (cursor)
        settle_directions(unit, cursor);
    return true;
}
