// SPDX-License-Identifier: GPL-2.0-or-later
// Declarations of a block, a package or a routine.
#include <stdlib.h>
#include <string.h>

#include "plsql/compile.h"
#include "plsql/function_result.h"

struct scope *scope_enter(struct compiler *c) {
    struct scope *new_scope = compile_take(c, sizeof *new_scope);
    new_scope->outer = c->scope;
    new_scope->routine = c->routine;
    c->scope = new_scope;
    return new_scope;
}

static void declare_variable(struct compiler *c, struct declaration *one) {
    const struct type *type = type_named(c, one->type);
    struct code *initial =
        one->value ? compile_value(c, one->value) : NULL; // before its name
    struct symbol *symbol = scope_add(c, SYMBOL_VARIABLE, one->name);
    if (c->s->error)
        return;
    if (initial && !type_takes(type, initial))
        statement_refuse_plsql(c->s, one->value->from,
                               "PLS-00382: expression is of wrong type");
    symbol->variable = variable_new(c, symbol->name, type);
    symbol->variable->constant = one->constant;
    symbol->variable->initial = initial;
    one->variable = symbol->variable;
    if (!initial && (one->constant || type->not_null))
        refuse_name(c, one->name,
                    one->constant
                        ? "PLS-00322: declaration of a constant '%s' must "
                          "contain an initialization assignment"
                        : "PLS-00218: a variable declared NOT NULL must have "
                          "an initialization assignment",
                    (struct name){one->name, one->name});
}

static void declare_type(struct compiler *c, struct declaration *one) {
    struct type *type = compile_take(c, sizeof *type);
    if (one->kind == DECLARES_REF_CURSOR) {
        *type = *type_cursor();
    } else if (one->kind == DECLARES_SUBTYPE) {
        *type = *type_named(c, one->type);
    } else if (one->kind == DECLARES_TABLE) {
        type->kind = TYPE_TABLE;
        type->element = type_named(c, one->type);
        type->indexed = one->indexed;
        type->by_text = one->by_text;
    } else {
        type->kind = TYPE_RECORD;
        struct field *last = NULL;
        for (struct parameter_tree *f = one->parameters.first; f; f = f->next) {
            struct field *field = compile_take(c, sizeof *field);
            field->name = name_spelled(c, f->name);
            field->type = type_named(c, f->type);
            if (f->value)
                field->initial = compile_value(c, f->value);
            if (field->initial && !type_takes(field->type, field->initial))
                statement_refuse_plsql(
                    c->s, f->value->from,
                    "PLS-00382: expression is of wrong type");
            if (last)
                last->next = field;
            else
                type->fields = field;
            last = field;
            type->count++;
        }
    }
    scope_add(c, SYMBOL_TYPE, one->name)->type = type;
}

static struct exception *exception_in_scope(struct compiler *c,
                                            const struct expr *name) {
    struct found resolved;
    return name->kind == EXPR_COLUMN && name_lookup(c, name->name, &resolved) &&
                   resolved.symbol && resolved.symbol->kind == SYMBOL_EXCEPTION
               ? resolved.symbol->exception
               : NULL;
}

static void pragma(struct compiler *c, const struct declaration *one) {
    const struct expr *first = one->arguments.first;
    if (statement_is(c->s, one->name, "autonomous_transaction")) {
        c->routine->autonomous = true;
    } else if (statement_is(c->s, one->name, "exception_init")) {
        struct exception *exception =
            first ? exception_in_scope(c, first) : NULL;
        const struct expr *number = first ? first->next : NULL;
        if (!exception || !number || number->kind != EXPR_NUMBER ||
            !number->negative) {
            statement_refuse_plsql(c->s, one->name,
                                   "PLS-00702: second argument to PRAGMA "
                                   "EXCEPTION_INIT must be a negative number");
            return;
        }
        exception->number =
            (unsigned)strtoul(c->s->tokens[number->to - 1].at, NULL, 10);
    } else if (!statement_is(c->s, one->name, "serially_reusable") &&
               !statement_is(c->s, one->name, "inline") &&
               !statement_is(c->s, one->name, "restrict_references") &&
               !statement_is(c->s, one->name, "udf")) {
        refuse_name(c, one->name,
                    "PLS-00127: Pragma %s is not a supported pragma",
                    (struct name){one->name, one->name});
    }
}

static void declare_cursor(struct compiler *c, struct declaration *one) {
    struct declared_cursor *cursor = compile_take(c, sizeof *cursor);
    struct symbol *symbol = scope_add(c, SYMBOL_CURSOR, one->name);
    symbol->cursor = cursor;
    cursor->variable = variable_new(c, symbol->name, type_cursor());
    one->variable = cursor->variable;
    struct scope *around = c->scope;
    struct package *package = around->package;
    scope_enter(c)->package = package;
    compile_parameters(c, &one->parameters, &cursor->parameter,
                       &cursor->parameters);
    cursor->query = compile_sql(c, one->sql);
    if (cursor->query)
        cursor->row = cursor->query->row;
    c->scope = around;
}

void compile_parameters(struct compiler *c, struct parameter_trees *list,
                        struct parameter **parameter, unsigned *count) {
    *count = list->count;
    *parameter = compile_take(c, (list->count + 1) * sizeof **parameter);
    unsigned n = 0;
    for (struct parameter_tree *one = list->first; one && !c->s->error;
         one = one->next, n++) {
        struct parameter *new_parameter = &(*parameter)[n];
        const struct type *type = type_of_parameter(c, one->type);
        struct symbol *symbol = scope_add(c, SYMBOL_VARIABLE, one->name);
        symbol->variable = variable_new(c, symbol->name, type);
        // An IN parameter cannot be assigned to.
        symbol->variable->constant = one->mode == MODE_IN;
        new_parameter->variable = symbol->variable;
        new_parameter->mode = one->mode;
        new_parameter->name = symbol->name;
        if (one->value)
            new_parameter->value = compile_value(c, one->value);
    }
}

// The parameters' variables are those of the routine's frame.
struct routine *declare_routine(struct compiler *c, struct routine_tree *tree) {
    enum { DEEPEST_LEVEL = 50 };
    struct routine *new_routine = compile_take(c, sizeof *new_routine);
    struct routine *around = c->routine;
    new_routine->unit = c->unit;
    new_routine->name = name_spelled(c, tree->name);
    new_routine->level = around ? around->level + 1 : 1;
    new_routine->tree = tree;
    new_routine->body = tree->body;
    if (new_routine->level > DEEPEST_LEVEL)
        statement_refuse(c->s, 3001, tree->from, "so deep a nesting");
    struct scope *outer = c->scope;
    c->routine = new_routine;
    new_routine->scope = scope_enter(c);
    new_routine->scope->label = new_routine->name;
    compile_parameters(c, &tree->parameters, &new_routine->parameter,
                       &new_routine->parameters);
    if (tree->result)
        new_routine->result = type_of_parameter(c, tree->result);
    function_result_check(c, new_routine);
    c->scope = outer;
    c->routine = around;
    return new_routine;
}

static bool same_parameters(const struct routine *a, const struct routine *b) {
    if (a->parameters != b->parameters)
        return false;
    for (unsigned i = 0; i < a->parameters; i++)
        if (strcmp(a->parameter[i].name, b->parameter[i].name) != 0 ||
            a->parameter[i].variable->type->operand !=
                b->parameter[i].variable->type->operand)
            return false;
    return true;
}

// The routine that was announced before: in this scope, or, for the body of a
// package, in its specification.
static struct routine *announced(struct compiler *c,
                                 const struct routine *made) {
    for (struct scope *scope = c->scope; scope;
         scope = scope->package ? scope->outer : NULL)
        for (struct symbol *one = scope->symbols; one; one = one->next) {
            if (one->kind != SYMBOL_ROUTINE ||
                strcmp(one->name, made->name) != 0)
                continue;
            for (struct routine *r = one->routine; r; r = r->next)
                if (!r->body && same_parameters(r, made))
                    return r;
        }
    return NULL;
}

static void declare_routine_here(struct compiler *c, struct declaration *one) {
    struct routine *new_routine = declare_routine(c, one->routine);
    struct routine *announcement =
        new_routine->body ? announced(c, new_routine) : NULL;
    if (c->s->error)
        return;
    if (announcement &&
        !announcement->tree->cached != !new_routine->tree->cached)
        statement_refuse(c->s, 3001, new_routine->tree->from,
                         "RESULT_CACHE of a declaration or a definition alone");
    if (announcement) { // its calls have the parameters of the announcement
        struct routine *next = announcement->next;
        *announcement = *new_routine;
        announcement->next = next;
        return; // its name is known
    }
    const struct symbol *overload = NULL;
    for (struct symbol *each = c->scope->symbols; each && !overload;
         each = each->next)
        if (each->kind == SYMBOL_ROUTINE &&
            strcmp(each->name, new_routine->name) == 0)
            overload = each;
    if (overload) {
        struct routine *last = overload->routine;
        while (last->next)
            last = last->next;
        last->next = new_routine;
        return;
    }
    scope_add(c, SYMBOL_ROUTINE, one->name)->routine = new_routine;
}

static void compile_bodies(struct compiler *c, const struct scope *scope) {
    for (struct symbol *one = scope->symbols; one && !c->s->error;
         one = one->next)
        for (struct routine *r = one->kind == SYMBOL_ROUTINE ? one->routine
                                                             : NULL;
             r && !c->s->error; r = r->next)
            if (r->unit == c->unit && !r->compiled)
                compile_routine_body(c, r);
}

void compile_declarations(struct compiler *c, struct declarations *list) {
    for (struct declaration *one = list->first; one && !c->s->error;
         one = one->next)
        switch (one->kind) {
        case DECLARES_VARIABLE:
            declare_variable(c, one);
            break;
        case DECLARES_EXCEPTION: {
            struct exception *new_exception =
                compile_take(c, sizeof *new_exception);
            new_exception->name = name_spelled(c, one->name);
            scope_add(c, SYMBOL_EXCEPTION, one->name)->exception =
                new_exception;
            break;
        }
        case DECLARES_PRAGMA:
            pragma(c, one);
            break;
        case DECLARES_CURSOR:
            declare_cursor(c, one);
            break;
        case DECLARES_ROUTINE:
            declare_routine_here(c, one);
            break;
        default:
            declare_type(c, one);
        }
    if (!c->s->error)
        compile_bodies(c, c->scope);
}
