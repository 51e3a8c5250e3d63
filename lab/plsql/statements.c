// SPDX-License-Identifier: GPL-2.0-or-later
// Statements and blocks.
#include <string.h>

#include "plsql/compile.h"
#include "plsql/exceptions.h"
#include "plsql/supplied.h"

enum { DEEPEST = 200 }; // blocks, loops and IFs in each other

static void compile_statements(struct compiler *c, struct plsqls *list);

static struct exception *exception_named(struct compiler *c,
                                         const struct expr *name) {
    struct found resolved;
    if (name_lookup(c, name->name, &resolved) && resolved.symbol &&
        resolved.symbol->kind == SYMBOL_EXCEPTION)
        return resolved.symbol->exception;
    struct exception *known_exception =
        name->name.first == name->name.last
            ? exception_predefined(&c->s->tokens[name->name.first])
            : NULL;
    if (!known_exception)
        refuse_name(c, name->from,
                    "PLS-00201: identifier '%s' must be declared", name->name);
    return known_exception;
}

static void compile_handlers(struct compiler *c, struct handlers *handlers) {
    for (struct handler *one = handlers->first; one && !c->s->error;
         one = one->next) {
        unsigned n = 0;
        one->exception =
            compile_take(c, (one->names.count + 1) * sizeof *one->exception);
        for (struct expr *name = one->names.first; name && !c->s->error;
             name = name->next)
            one->exception[n++] = statement_is(c->s, name->from, "others") &&
                                          !one->names.first->next
                                      ? NULL
                                      : exception_named(c, name);
        if (n > 0 && !one->exception[0])
            one->names = (struct exprs){0}; // OTHERS
        compile_statements(c, &one->body);
    }
}

void compile_block(struct compiler *c, struct block_tree *block,
                   unsigned label) {
    struct scope *outer = c->scope;
    struct scope *scope = scope_enter(c);
    scope->label = label ? name_spelled(c, label) : NULL;
    compile_declarations(c, &block->declarations);
    compile_statements(c, &block->body);
    compile_handlers(c, &block->handlers);
    c->scope = outer;
}

void compile_routine_body(struct compiler *c, struct routine *routine) {
    struct scope *outer = c->scope;
    struct routine *around = c->routine;
    const struct plsql *loop = c->loop;
    routine->compiled = true;
    if (!routine->body) {
        if (!c->unit->specification && c->unit->kind != UNIT_PACKAGE)
            refuse_name(
                c, routine->tree->name,
                "PLS-00313: '%s' not declared in this scope",
                (struct name){routine->tree->name, routine->tree->name});
        return;
    }
    c->scope = routine->scope;
    c->routine = routine;
    c->loop = NULL;
    compile_block(c, routine->body, 0);
    c->scope = outer;
    c->routine = around;
    c->loop = loop;
}

static void compile_call_statement(struct compiler *c, struct plsql *p) {
    struct expr *target = p->target;
    p->target_code = compile_reference(c, target);
    const struct code *code = p->target_code;
    if (c->s->error)
        return;
    const bool procedure =
        code && ((code->kind == CODE_CALL && !code->routine->result) ||
                 (code->kind == CODE_SUPPLIED && !code->supplied->result) ||
                 (code->kind == CODE_METHOD && code->at >= METHOD_DELETE &&
                  code->at <= METHOD_TRIM));
    if (!code && target->kind != EXPR_FIELD)
        refuse_name(c, target->from,
                    "PLS-00201: identifier '%s' must be declared",
                    target->name);
    else if (!procedure)
        refuse_name(c, target->from,
                    "PLS-00221: '%s' is not a procedure or is undefined",
                    target->name);
}

static void check_assigned(struct compiler *c, const struct expr *value,
                           const struct code *to, const struct code *from) {
    if (!to || !from || c->s->error || to->kind == CODE_BIND)
        return;
    if (!type_takes(to->type, from))
        statement_refuse_plsql(c->s, value->from,
                               "PLS-00382: expression is of wrong type");
}

static void compile_branches(struct compiler *c, struct plsql *p) {
    struct expr *value = p->kind == PLSQL_CASE ? p->value : NULL;
    for (struct branch *one = p->branches.first; one && !c->s->error;
         one = one->next) {
        struct expr *test = one->when;
        if (value)
            test = expr_equal(c, value, test);
        one->code = compile_condition(c, test);
        compile_statements(c, &one->body);
    }
    compile_statements(c, &p->otherwise);
}

static void declare_loop_variable(struct compiler *c, struct plsql *p,
                                  const struct type *type) {
    struct symbol *symbol = scope_add(c, SYMBOL_VARIABLE, p->name);
    symbol->variable = variable_new(c, symbol->name, type);
    symbol->variable->constant = type->kind != TYPE_RECORD;
    p->variable = symbol->variable;
}

static void compile_cursor_arguments(struct compiler *c, struct plsql *p) {
    const struct declared_cursor *cursor = p->cursor;
    p->argument = code_array(c, cursor->parameters);
    compile_arguments(c, cursor->parameter, cursor->parameters, p->target->list,
                      p->target->from, p->argument);
}

// The cursor that is named, with its arguments; NULL: it is none.
static struct declared_cursor *cursor_named(struct compiler *c,
                                            const struct expr *e) {
    struct found resolved;
    return (e->kind == EXPR_COLUMN || e->kind == EXPR_CALL) &&
                   name_lookup(c, e->name, &resolved) && resolved.symbol &&
                   resolved.symbol->kind == SYMBOL_CURSOR
               ? resolved.symbol->cursor
               : NULL;
}

static void refuse_no_cursor(struct compiler *c, const struct expr *e) {
    refuse_name(c, e->from, "PLS-00456: item '%s' is not a cursor",
                e->kind == EXPR_BIND ? (struct name){e->from, e->from}
                                     : e->name);
}

// A loop over rows, or numbers.
static void compile_loop(struct compiler *c, struct plsql *p) {
    struct scope *outer = c->scope;
    const struct plsql *around = c->loop;
    const struct type *row = NULL;
    if (p->kind == PLSQL_WHILE)
        p->value_code = compile_condition(c, p->value);
    if (p->kind == PLSQL_FOR || p->kind == PLSQL_FORALL) {
        p->low_code = compile_scalar(c, p->low);
        p->value_code = compile_scalar(c, p->value);
    }
    if (p->kind == PLSQL_FOR_QUERY) {
        p->embedded = compile_sql(c, p->sql);
        row = p->embedded ? p->embedded->row : NULL;
    }
    if (p->kind == PLSQL_FOR_CURSOR) {
        p->cursor = cursor_named(c, p->target);
        if (!p->cursor)
            refuse_no_cursor(c, p->target);
        else
            compile_cursor_arguments(c, p);
        row = p->cursor ? p->cursor->row : NULL;
    }
    struct scope *scope = scope_enter(c);
    scope->loop = true;
    const bool rows = p->kind == PLSQL_FOR_QUERY || p->kind == PLSQL_FOR_CURSOR;
    if (rows && !row)
        statement_refuse(c->s, 3001, p->from,
                         "a loop over a query of unknown columns");
    if (p->name && !c->s->error)
        declare_loop_variable(c, p, rows ? row : type_whole());
    c->loop = p;
    if (p->kind == PLSQL_FORALL)
        p->embedded = compile_sql(c, p->sql);
    else
        compile_statements(c, &p->body);
    c->loop = around;
    c->scope = outer;
}

static void compile_exit(struct compiler *c, struct plsql *p) {
    p->loop = c->loop;
    if (p->exits)
        while (p->loop &&
               !(p->loop->label && name_equals(&c->s->tokens[p->loop->label],
                                               &c->s->tokens[p->exits])))
            p->loop = p->loop->loop;
    if (!p->loop)
        statement_refuse_plsql(c->s, p->from,
                               "PLS-00376: illegal EXIT/CONTINUE statement; it "
                               "must appear inside a loop");
    if (p->value)
        p->value_code = compile_condition(c, p->value);
}

static void compile_return(struct compiler *c, struct plsql *p) {
    const struct type *result = c->routine->result;
    if (p->value && !result)
        statement_refuse_plsql(c->s, p->from,
                               "PLS-00372: In a procedure, RETURN statement "
                               "cannot contain an expression");
    else if (!p->value && result)
        statement_refuse_plsql(
            c->s, p->from,
            "PLS-00503: RETURN <value> statement is required "
            "for this return from function");
    else if (p->value)
        p->value_code = compile_value(c, p->value);
    if (p->value_code && !type_takes(result, p->value_code))
        statement_refuse_plsql(c->s, p->value->from,
                               "PLS-00382: expression is of wrong type");
}

static void compile_uses(struct compiler *c, struct plsql *p) {
    for (struct use *one = p->uses.first; one && !c->s->error; one = one->next)
        one->code =
            one->mode == MODE_IN
                ? compile_value(c, one->value)
                : compile_target(c, one->value, one->mode == MODE_IN_OUT);
}

static void compile_statement_sql(struct compiler *c, struct plsql *p) {
    p->embedded = compile_sql(c, p->sql);
    const struct embedded *e = p->embedded;
    if (e && e->kind == TREE_QUERY && !e->control && e->intos == 0)
        statement_refuse_plsql(c->s, p->from,
                               "PLS-00428: an INTO clause is expected in this "
                               "SELECT statement");
    if (e && e->kind == TREE_QUERY && e->intos > 0 && e->row &&
        !(e->intos == 1 && e->into[0] &&
          e->into[0]->type->kind != TYPE_SCALAR) &&
        e->intos != e->row->count) {
        statement_refuse_plsql(c->s, p->from,
                               e->intos < e->row->count
                                   ? "PL/SQL: ORA-00913: too many values"
                                   : "PL/SQL: ORA-00947: not enough values");
    }
}

static void compile_cursor_statement(struct compiler *c, struct plsql *p) {
    p->cursor = cursor_named(c, p->target);
    if (p->kind == PLSQL_OPEN) {
        if (!p->cursor)
            refuse_no_cursor(c, p->target);
        else
            compile_cursor_arguments(c, p);
    }
    if (p->kind == PLSQL_OPEN_FOR && p->sql)
        p->embedded = compile_sql(c, p->sql);
    if (p->kind == PLSQL_OPEN_FOR && p->value)
        p->value_code = compile_scalar(c, p->value);
    if (!p->cursor)
        p->target_code =
            compile_target(c, p->target, p->kind != PLSQL_OPEN_FOR);
    const struct code *code = p->target_code;
    if (code && code->kind != CODE_BIND && code->type->kind != TYPE_CURSOR)
        refuse_no_cursor(c, p->target);
    if (p->kind == PLSQL_OPEN_FOR && p->cursor)
        refuse_no_cursor(c, p->target);
    compile_uses(c, p);
    if (p->kind == PLSQL_FETCH)
        p->into_code = compile_targets(c, &p->into);
    if (p->low)
        p->low_code = compile_scalar(c, p->low);
}

static void compile_statement(struct compiler *c, struct plsql *p) {
    switch (p->kind) {
    case PLSQL_NULL:
        break;
    case PLSQL_ASSIGN:
        p->value_code = compile_value(c, p->value);
        p->target_code = compile_target(c, p->target, false);
        check_assigned(c, p->value, p->target_code, p->value_code);
        break;
    case PLSQL_CALL:
        compile_call_statement(c, p);
        break;
    case PLSQL_IF:
    case PLSQL_CASE:
        compile_branches(c, p);
        break;
    case PLSQL_LOOP:
    case PLSQL_WHILE:
    case PLSQL_FOR:
    case PLSQL_FOR_QUERY:
    case PLSQL_FOR_CURSOR:
    case PLSQL_FORALL:
        p->loop = c->loop; // the one around it
        compile_loop(c, p);
        break;
    case PLSQL_EXIT:
    case PLSQL_CONTINUE:
        compile_exit(c, p);
        break;
    case PLSQL_BLOCK:
        compile_block(c, p->block, p->label);
        break;
    case PLSQL_RAISE:
        if (p->target)
            p->exception = exception_named(c, p->target);
        break;
    case PLSQL_RETURN:
        compile_return(c, p);
        break;
    case PLSQL_SQL:
        compile_statement_sql(c, p);
        break;
    case PLSQL_OPEN:
    case PLSQL_OPEN_FOR:
    case PLSQL_FETCH:
    case PLSQL_CLOSE:
        compile_cursor_statement(c, p);
        break;
    case PLSQL_EXECUTE:
        p->value_code = compile_scalar(c, p->value);
        compile_uses(c, p);
        p->into_code = compile_targets(c, &p->into);
        p->returning_code = compile_targets(c, &p->returning);
        break;
    }
}

static void compile_statements(struct compiler *c, struct plsqls *list) {
    if (c->depth++ == DEEPEST && list->first)
        statement_refuse(c->s, 3001, list->first->from, "so deep a nesting");
    for (struct plsql *one = list->first; one && !c->s->error; one = one->next)
        compile_statement(c, one);
    c->depth--;
}
