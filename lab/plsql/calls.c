// SPDX-License-Identifier: GPL-2.0-or-later
// Calls of procedures and functions: which argument is for which parameter.
#include <string.h>

#include "plsql/compile.h"
#include "plsql/supplied.h"

struct code **code_array(struct compiler *c, unsigned count) {
    return compile_take(c, (count + 1) * sizeof(struct code *));
}

static struct code *compile_argument(struct compiler *c, struct expr *e,
                                     enum parameter_mode mode) {
    return mode == MODE_IN ? compile_value(c, e)
                           : compile_target(c, e, mode == MODE_IN_OUT);
}

bool compile_arguments(struct compiler *c, const struct parameter *parameter,
                       unsigned parameters, struct exprs list, unsigned token,
                       struct code **to) {
    unsigned place = 0;
    bool fits = true;
    for (struct expr *one = list.first; one && fits; one = one->next) {
        const bool named = one->kind == EXPR_ARGUMENT;
        unsigned index = named ? 0 : place++;
        while (
            named && index < parameters &&
            !name_spells(&c->s->tokens[one->name.first], parameter[index].name))
            index++;
        fits = index < parameters && !to[index];
        if (fits)
            to[index] = compile_argument(c, named ? one->left : one,
                                         parameter[index].mode);
        if (fits && to[index] && parameter[index].variable)
            fits = type_takes(parameter[index].variable->type, to[index]);
    }
    for (unsigned i = 0; i < parameters && fits; i++)
        fits = to[i] || parameter[i].value || c->s->error;
    if (!fits)
        refuse_name(
            c, token,
            "PLS-00306: wrong number or types of arguments in call to '%s'",
            (struct name){token, token});
    return !c->s->error;
}

// Of those that share a name, the first that the arguments fit by number.
static struct routine *overloaded(struct routine *routine,
                                  const struct exprs *list) {
    for (struct routine *candidate = routine; candidate;
         candidate = candidate->next) {
        unsigned needed = 0;
        for (unsigned i = 0; i < candidate->parameters; i++)
            needed += !candidate->parameter[i].value;
        if (list->count >= needed && list->count <= candidate->parameters)
            return candidate;
    }
    return routine;
}

struct code *compile_call(struct compiler *c, const struct found *found,
                          struct expr *call) {
    struct routine *routine = overloaded(found->symbol->routine, &call->list);
    struct code *code = code_new(
        c, CODE_CALL, routine->result ? routine->result : type_of_operand(0));
    code->routine = routine;
    code->list = code_array(c, routine->parameters);
    code->count = routine->parameters;
    if (found->package)
        code->unit = found->package;
    return compile_arguments(c, routine->parameter, routine->parameters,
                             call->list, call->name.last, code->list)
               ? code
               : NULL;
}

struct code *compile_constructor(struct compiler *c, const struct type *type,
                                 struct expr *call) {
    struct code *code = code_new(c, CODE_CONSTRUCTOR, type);
    bool fits = true;
    if (type->kind != TYPE_TABLE || type->indexed) {
        statement_refuse(c->s, 3001, call->from,
                         type->kind == TYPE_TABLE
                             ? "a constructor of a table with INDEX BY"
                             : "a constructor of other than a table");
        return NULL;
    }
    code->list = code_array(c, call->list.count);
    for (struct expr *one = call->list.first; one && fits && !c->s->error;
         one = one->next) {
        struct code *element =
            one->kind == EXPR_ARGUMENT ? NULL : compile_value(c, one);
        fits = element && type_takes(type->element, element);
        code->list[code->count++] = element;
    }
    if (!fits)
        refuse_name(
            c, call->from,
            "PLS-00306: wrong number or types of arguments in call to '%s'",
            call->name);
    return c->s->error ? NULL : code;
}

struct code *compile_supplied(struct compiler *c,
                              const struct supplied *supplied,
                              struct expr *call) {
    struct parameter parameter[MOST_SUPPLIED_PARAMETERS] = {0};
    struct code optional = {0};
    const unsigned count = supplied_parameters(supplied);
    for (unsigned i = 0; i < count; i++)
        parameter[i] = (struct parameter){
            .name = supplied->parameter[i].name,
            .mode = supplied->parameter[i].mode,
            .value = supplied->parameter[i].optional ? &optional : NULL};
    struct code *code =
        code_new(c, CODE_SUPPLIED, type_of_operand(supplied->result));
    code->supplied = supplied;
    code->list = code_array(c, count);
    code->count = count;
    if (!compile_arguments(c, parameter, count, call->list, call->name.last,
                           code->list))
        return NULL;
    const struct code *lines = supplied->of_lines ? code->list[0] : NULL;
    if (lines && lines->kind != CODE_BIND &&
        lines->type != supplied_type("DBMS_OUTPUT", "CHARARR"))
        refuse_name(
            c, call->name.last,
            "PLS-00306: wrong number or types of arguments in call to '%s'",
            (struct name){call->name.last, call->name.last});
    return c->s->error ? NULL : code;
}
