// SPDX-License-Identifier: GPL-2.0-or-later
// Calls of functions: whether they are allowed where they are, and the types of
// their results.
#include <string.h>

#include "sql/functions/function.h"
#include "sql/functions/sort_keys.h"
#include "sql/resolve/resolver.h"

void note_site(const struct resolver *r, const struct function *function) {
    if (function->varies || function->of_session)
        r->s->tree->bound_to_us = true;
}

static bool is_number_or_text(enum operand_type type) {
    return operand_is_number(type) || type == OPERAND_TEXT;
}

static enum operand_type result_type(const struct expr *call) {
    const struct function *function = call->function;
    const struct expr *first = call->list.first;
    const enum operand_type type = first ? first->type : OPERAND_UNKNOWN;
    switch (function->result) {
    case RESULT_AS_FIRST: // LAG(x, 1, y) is y beyond the edge
        if (first && function->kind == FUNCTION_RANKING &&
            call->list.count == 3 && call->list.last->type != type)
            return OPERAND_UNKNOWN;
        return first && first->bind ? OPERAND_UNKNOWN : type;
    case RESULT_SUMMED:
        return operand_is_binary_number(type) ? type : function->type;
    case RESULT_ROUNDED: // of a date, it is one
        return operand_is_time(type)     ? OPERAND_DATE
               : is_number_or_text(type) ? OPERAND_NUMBER
                                         : OPERAND_UNKNOWN;
    default:
        return function->type;
    }
}

// The common type of `type`, that of the previous arguments, and another one.
static enum operand_type converted(struct resolver *r, enum operand_type type,
                                   const struct expr *more) {
    // Oracle converts both to the wider type.
    if (operand_is_binary_number(more->type) && type != OPERAND_NULL &&
        type != more->type && type != OPERAND_BINARY_DOUBLE)
        statement_refuse(r->s, 3001, more->from, "numbers of several types");
    return operand_converted(type, more->type);
}

static enum operand_type decode_type(struct resolver *r,
                                     const struct exprs *list) {
    const struct expr *expr = list->first->next->next;
    enum operand_type type = expr->type == OPERAND_NULL
                                 ? OPERAND_TEXT // as text
                                 : expr->type;
    unsigned place = 2;
    for (expr = expr->next, place++; expr; expr = expr->next, place++) {
        const bool result =
            place % 2 == 0 || (expr == list->last && list->count % 2 == 0);
        if (result)
            type = converted(r, type, expr);
    }
    return type;
}

static enum operand_type form_type(struct resolver *r, struct expr *call) {
    struct expr *first = call->list.first;
    const char *name = call->function->name;
    enum operand_type type = OPERAND_NULL;
    if (strcmp(name, "NVL") == 0)
        return converted(r, first->type, first->next);
    if (strcmp(name, "NVL2") == 0)
        return converted(r, first->next->type, first->next->next);
    if (strcmp(name, "NULLIF") == 0)
        return first->type;
    if (strcmp(name, "SYS_CONNECT_BY_PATH") == 0)
        hierarchy_carry(r, call);
    if (strcmp(name, "GROUPING") == 0 || strcmp(name, "DUMP") == 0 ||
        strcmp(name, "SYS_CONNECT_BY_PATH") == 0)
        return call->function->type;
    if (strcmp(name, "DECODE") == 0)
        return decode_type(r, &call->list);
    for (struct expr *one = first; one; one = one->next)
        resolve_merge_type(r, &type, one);
    return type;
}

static void check_arguments(struct resolver *r, const struct expr *call) {
    enum { MANY = 90 };
    const struct function *function = call->function;
    const int n = call->star ? 1 : (int)call->list.count;
    const bool form = function->kind == FUNCTION_FORM;
    if (n < function->least)
        statement_refuse(r->s, form || function->most > MANY ? 938 : 909,
                         call->from, "");
    else if (n > function->most)
        statement_refuse(r->s, form && function->most > MANY ? 939 : 909,
                         call->from, "");
    if (call->star && strcmp(function->name, "COUNT") != 0)
        statement_refuse(r->s, 936, call->from, "");
    if ((call->distinct || call->all) && function->kind != FUNCTION_AGGREGATE)
        statement_refuse(r->s, 936, call->from, "");
}

// All others would calculate with it as a NUMBER.
static void check_binary_number(struct resolver *r, const struct expr *call) {
    const struct function *function = call->function;
    const struct expr *first = call->list.first;
    if (first && operand_is_binary_number(first->type) &&
        function->kind != FUNCTION_FORM && !function->of_binary_numbers &&
        function->result != RESULT_AS_FIRST &&
        function->result != RESULT_SUMMED)
        statement_refuse(r->s, 3001, call->from,
                         "this function of a BINARY_DOUBLE or BINARY_FLOAT");
}

static void check_window(struct resolver *r, const struct expr *call) {
    const struct window *window = call->window;
    const enum function_kind kind = call->function->kind;
    if ((kind == FUNCTION_RANKING || kind == FUNCTION_WINDOW) && !window)
        statement_refuse(r->s, 30484, call->from, "");
    if (!window)
        return;
    const bool ordered = window->order.first;
    if (kind != FUNCTION_RANKING && kind != FUNCTION_WINDOW &&
        kind != FUNCTION_AGGREGATE)
        statement_refuse(r->s, 933, window->token, "");
    else if (!ordered && (kind == FUNCTION_RANKING || window->framed))
        statement_refuse(r->s, 30485, window->token, "");
    else if (window->framed && kind == FUNCTION_RANKING)
        statement_refuse(r->s, 907, window->token, "");
    else if (window->range && (window->from.rows || window->to.rows))
        statement_refuse(r->s, 3001, window->token, "such a window");
}

// The aggregates that KEEP takes: see functions/keep.c.
static bool can_keep(const struct expr *call) {
    static const char *const names[] = {"COUNT", "SUM", "AVG", "MIN", "MAX"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(call->function->name, names[i]) == 0)
            return !call->distinct;
    return false;
}

static void check_keep(struct resolver *r, const struct expr *call) {
    unsigned keys = 0;
    for (const struct order_term *one = call->within.first; one;
         one = one->next)
        keys++;
    if (call->function->kind != FUNCTION_AGGREGATE)
        statement_refuse(r->s, 923, call->to, "");
    else if (!can_keep(call) || keys > MOST_SORT_KEYS)
        statement_refuse(r->s, 3001, call->from, "KEEP of this");
}

// LISTAGG's order, or that of KEEP.
static void resolve_within(struct resolver *r, struct expr *call) {
    const bool lists = strcmp(call->function->name, "LISTAGG") == 0;
    if (call->keeps_first || call->keeps_last)
        check_keep(r, call);
    else if (call->within.first && !lists)
        statement_refuse(r->s, 3001, call->from, "WITHIN GROUP of this");
    if (lists && (call->distinct || call->window))
        statement_refuse(r->s, 3001, call->from,
                         call->window ? "LISTAGG over a window"
                                      : "LISTAGG of DISTINCT");
    resolve_window_order(r, &call->within);
}

// Those whose result is a CHAR if their argument is.
static bool keeps_fixed(const struct function *function) {
    static const char *const names[] = {"MAX", "MIN", "UPPER", "LOWER",
                                        "INITCAP"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(function->name, names[i]) == 0)
            return true;
    return false;
}

void resolve_call(struct resolver *r, struct expr *call) {
    const struct token *name = &r->s->tokens[call->name.last];
    const bool bare = call->name.first == call->name.last;
    const struct function *function =
        name->type == TOKEN_WORD && bare
            ? function_named(name->at, name->length)
            : NULL;
    // A variable of the block around may have a function's name.
    if ((r->s->variable || !function) && resolve_stored(r, call))
        return;
    if (!function && name->type == TOKEN_WORD &&
        function_is_unimplemented(name->at, name->length)) {
        statement_refuse_name(r->s, 3001, call->name.first, call->name.last);
        return;
    }
    if (!function || function->kind == FUNCTION_BARE) {
        statement_refuse_name(r->s, 904, call->name.first, call->name.last);
        return;
    }
    call->function = function;
    note_site(r, function);
    check_arguments(r, call);
    check_window(r, call);
    const bool aggregates =
        function->kind == FUNCTION_AGGREGATE && !call->window;
    if (aggregates && r->aggregates++ > 0)
        statement_refuse(r->s, 3001, call->from, "aggregates of aggregates");
    r->conditional += function->kind == FUNCTION_FORM;
    resolve_values(r, &call->list);
    r->conditional -= function->kind == FUNCTION_FORM;
    resolve_within(r, call);
    if (aggregates)
        r->aggregates--;
    check_binary_number(r, call);
    if (r->s->error)
        return;
    call->type = function->kind == FUNCTION_FORM ? form_type(r, call)
                                                 : result_type(call);
    call->fixed =
        keeps_fixed(function) && call->list.first && call->list.first->fixed;
    call->native =
        !call->list.first || operand_orders_natively(call->list.first->type);
    const bool extreme = strcmp(function->name, "MIN") == 0 ||
                         strcmp(function->name, "MAX") == 0;
    if (!call->window)
        return;
    r->windowed = true;
    if (extreme && !call->native)
        statement_refuse(r->s, 3001, call->from,
                         "MIN and MAX of such numbers over a window");
    resolve_values(r, &call->window->partition);
    resolve_window_order(r, &call->window->order);
}
