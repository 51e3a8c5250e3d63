// SPDX-License-Identifier: GPL-2.0-or-later
// A block that opens cursors: OPEN cursor FOR query, where the cursor is a
// bind, or a variable that DBMS_SQL.RETURN_RESULT returns or that is assigned
// to a bind. Variables that were assigned a bind, or nothing, can be used in
// queries. The queries are parsed and executed when the block is.
#include <stdlib.h>
#include <string.h>

#include "sql/emit/emitter.h"

enum { MOST_VARIABLES = 32 };

struct held {
    unsigned name; // its token
    unsigned bind; // the placeholder that it has the value of
    unsigned open; // 1 + the index of the query that it was opened for
    bool cursor;
};

struct opening {
    struct emitter *e;
    struct held variable[MOST_VARIABLES];
    unsigned variables;
};

static bool is_name(const struct token *token) {
    return token->type == TOKEN_WORD || token->type == TOKEN_QUOTED;
}

static struct held *variable_named(struct opening *o, unsigned at) {
    const struct token *tokens = o->e->s->tokens;
    for (unsigned i = 0; i < o->variables; i++)
        if (is_name(&tokens[at]) &&
            name_equals(&tokens[o->variable[i].name], &tokens[at]))
            return &o->variable[i];
    return NULL;
}

static void read_variables(struct opening *o) {
    struct statement *s = o->e->s;
    for (const struct variable *one = s->tree->variables.first; one;
         one = one->next) {
        if (o->variables == MOST_VARIABLES ||
            (one->has_value && !one->is_null)) {
            statement_refuse(s, 3001, one->name, "such variables of a block");
            return;
        }
        o->variable[o->variables++] = (struct held){
            .name = one->name,
            .bind = NO_PLACEHOLDER,
            .cursor = statement_is(s, one->type, "sys_refcursor")};
    }
}

// The variable that the token is, in a query; NULL: it is something else.
static struct held *value_at(struct opening *o, unsigned at) {
    const struct statement *s = o->e->s;
    struct held *variable = variable_named(o, at);
    const bool part =
        statement_is(s, at - 1, ".") || statement_is(s, at + 1, ".");
    return variable && !variable->cursor && !part ? variable : NULL;
}

static void take_bind(struct opening *o, struct opened_query *opened,
                      unsigned placeholder) {
    if (opened->binds == MOST_OPENED_BINDS)
        statement_refuse(o->e->s, 3001, 0, "a cursor with more than 64 binds");
    else
        opened->bind[opened->binds++] = placeholder;
}

static void take_query(struct opening *o, struct opened_query *opened,
                       unsigned from, unsigned to) {
    struct statement *s = o->e->s;
    const struct token *last = &s->tokens[to - 1];
    const char *at = s->tokens[from].at, *end = last->at + last->length;
    if (last->type == TOKEN_QUOTED)
        end++; // its closing quote
    size_t n = 0;
    // A variable becomes a bind of its name: one character more.
    opened->query = malloc(2 * (size_t)(end - at) + 1);
    if (!opened->query) {
        statement_refuse(s, 4030, from, "");
        return;
    }
    for (unsigned i = from; i < to && !s->error; i++) {
        const struct token *token = &s->tokens[i];
        const struct held *variable = value_at(o, i);
        if (token->type == TOKEN_BIND)
            take_bind(o, opened, placeholder_at(o->e->s, i) - 1);
        if (!variable)
            continue;
        take_bind(o, opened, variable->bind);
        memcpy(opened->query + n, at, (size_t)(token->at - at));
        n += (size_t)(token->at - at);
        opened->query[n++] = ':';
        at = token->at;
    }
    memcpy(opened->query + n, at, (size_t)(end - at));
    opened->query_length = n + (size_t)(end - at);
}

static void take_open(struct opening *o, const struct plsql *open) {
    struct statement *s = o->e->s;
    struct translation *result = o->e->result;
    if (result->opens == MOST_OPENED) {
        statement_refuse(s, 3001, open->from,
                         "a block that opens more than 16 cursors");
        return;
    }
    struct opened_query *opened = &result->opened[result->opens++];
    *opened = (struct opened_query){.target = NO_PLACEHOLDER};
    struct held *variable = variable_named(o, open->target);
    if (s->tokens[open->target].type == TOKEN_BIND)
        opened->target = placeholder_at(o->e->s, open->target) - 1;
    else if (variable && variable->cursor)
        variable->open = result->opens;
    else
        statement_refuse(s, 6550, open->target,
                         "OPEN of a variable that is no SYS_REFCURSOR");
    take_query(o, opened, open->query->from, open->to);
}

// DBMS_SQL.RETURN_RESULT(name)
static void take_result(struct opening *o, const struct plsql *call) {
    struct statement *s = o->e->s;
    const struct argument *argument = call->arguments.first;
    const struct expr *value = argument ? argument->value : NULL;
    const bool name = value && !argument->next && value->kind == EXPR_COLUMN &&
                      value->name.first == value->name.last;
    const struct held *variable =
        name ? variable_named(o, value->name.first) : NULL;
    if (!variable)
        statement_refuse(s, 3001, call->from,
                         "RETURN_RESULT of other than a variable");
    else if (variable->open == 0)
        statement_refuse(s, 1001, call->from, "");
    else
        o->e->result->opened[variable->open - 1].returned = true;
}

// variable := bind, or bind := variable.
static void take_assignment(struct opening *o, const struct plsql *one) {
    const struct token *tokens = o->e->s->tokens;
    struct held *to = variable_named(o, one->target),
                *from = variable_named(o, one->value);
    if (to && !to->cursor && tokens[one->value].type == TOKEN_BIND)
        to->bind = placeholder_at(o->e->s, one->value) - 1;
    else if (tokens[one->target].type == TOKEN_BIND && from && from->open > 0)
        o->e->result->opened[from->open - 1].target =
            placeholder_at(o->e->s, one->target) - 1;
    else
        statement_refuse(o->e->s, 3001, one->from,
                         "such an assignment in a block");
}

static bool is_result(const struct statement *s, struct name name) {
    return name.last - name.first == 2 &&
           statement_is(s, name.first, "dbms_sql") &&
           statement_is(s, name.last, "return_result");
}

void take_opened_cursors(struct emitter *e) {
    struct opening o = {.e = e};
    read_variables(&o);
    for (const struct plsql *one = e->s->tree->body.first; one && !e->s->error;
         one = one->next)
        if (one->kind == PLSQL_OPEN)
            take_open(&o, one);
        else if (one->kind == PLSQL_CALL && is_result(e->s, one->name))
            take_result(&o, one);
        else if (one->kind == PLSQL_ASSIGN)
            take_assignment(&o, one);
        else if (one->kind != PLSQL_NULL)
            statement_refuse(e->s, 3001, one->from, "PL/SQL next to OPEN");
    for (unsigned i = 0; i < e->result->opens; i++)
        if (e->result->opened[i].target == NO_PLACEHOLDER &&
            !e->result->opened[i].returned)
            statement_refuse(e->s, 3001, 0, "a cursor that stays in its block");
}
