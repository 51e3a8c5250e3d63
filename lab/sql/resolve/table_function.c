// SPDX-License-Identifier: GPL-2.0-or-later
// TABLE(DBMS_XPLAN.DISPLAY_CURSOR(sql_id, cursor_child_no, format)). There is
// no other function that returns rows.
#include "sql/resolve/resolver.h"

enum { ARGUMENTS = 3 };

static bool is_display_cursor(const struct statement *s,
                              const struct expr *function) {
    const struct name name = function->name;
    return (function->kind == EXPR_CALL || function->kind == EXPR_COLUMN) &&
           name.last == name.first + 2 &&
           statement_is(s, name.first, "dbms_xplan") &&
           statement_is(s, name.last, "display_cursor");
}

// The index of the parameter of that name.
static unsigned parameter(struct statement *s, unsigned token) {
    static const char *const names[ARGUMENTS] = {"sql_id", "cursor_child_no",
                                                 "format"};
    for (unsigned i = 0; i < ARGUMENTS; i++)
        if (statement_is(s, token, names[i]))
            return i;
    return ARGUMENTS;
}

// Puts the arguments into the order of the parameters; NULL for those left
// out.
static void order_arguments(struct resolver *r, struct expr *function) {
    enum { WRONG_ARGUMENTS = 909 };
    struct statement *s = r->s;
    struct expr *argument[ARGUMENTS] = {0};
    unsigned count = 0;
    for (struct expr *expr = function->list.first; expr; expr = expr->next) {
        const bool named = expr->kind == EXPR_ARGUMENT;
        const unsigned to = named ? parameter(s, expr->name.first) : count++;
        if (to >= ARGUMENTS || argument[to]) {
            statement_refuse(s, WRONG_ARGUMENTS, function->from, "");
            return;
        }
        argument[to] = named ? expr->left : expr;
    }
    function->list = (struct exprs){0};
    for (unsigned i = 0; i < ARGUMENTS; i++) {
        struct expr *expr =
            argument[i]
                ? argument[i]
                : tree_expr(s, EXPR_NULL, function->from, function->from);
        expr->next = NULL;
        exprs_append(&function->list, expr);
    }
}

void resolve_table_function(struct resolver *r, struct source *source) {
    static const struct column_def output = {
        .name = "PLAN_TABLE_OUTPUT",
        .declared = "VARCHAR2(300)",
        .type = OPERAND_TEXT,
        .shown = OPERAND_TEXT,
    };
    struct expr *function = source->function;
    if (!is_display_cursor(r->s, function)) {
        statement_refuse_token(r->s, 3001, source->table.first);
        return;
    }
    order_arguments(r, function);
    const struct scope *scope = r->scope; // it sees no tables around it
    r->scope = scope->outer;
    resolve_values(r, &function->list);
    r->scope = scope;
    r->s->tree->local = true;
    columns_append(r, &source->columns, &output);
    source->columns.known = true;
}
