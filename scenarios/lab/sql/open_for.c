// SPDX-License-Identifier: GPL-2.0-or-later
// A block that opens cursors: OPEN cursor FOR query, where the cursor is a
// bind, or a variable that DBMS_SQL.RETURN_RESULT returns or that is assigned
// to a bind. Variables that were assigned a bind, or nothing, can be used in
// queries. The queries are parsed and executed when the block is.
#include <stdlib.h>
#include <string.h>

#include "sql/source.h"

enum { MOST_VARIABLES = 32 };

struct block {
    size_t begin; // the token
    struct variable {
        size_t name;   // its token
        unsigned bind; // the placeholder that it has the value of
        unsigned open; // 1 + the index of the query that it was opened for
        bool cursor;
    } variable[MOST_VARIABLES];
    unsigned variables;
};

static struct variable *variable_named(const struct translator *t,
                                       struct block *b, size_t at) {
    for (unsigned i = 0; i < b->variables; i++)
        if (source_is_name(t, at) &&
            name_equals(&t->tokens[b->variable[i].name], &t->tokens[at]))
            return &b->variable[i];
    return NULL;
}

// name type [(size)] [:= NULL]; up to BEGIN.
static void read_variables(struct translator *t, struct block *b) {
    size_t at = 1;
    while (at < b->begin && source_is(t, 0, "declare")) {
        const size_t end = source_find(t, at, b->begin, ";");
        size_t after = at + 2;
        if (source_is(t, after, "("))
            after = t->close[after] + 1;
        const bool empty =
            source_is(t, after, ":=") && source_is(t, after + 1, "null");
        if (b->variables == MOST_VARIABLES || (after < end && !empty)) {
            source_refuse(t, 3001, "such variables of a block");
            return;
        }
        b->variable[b->variables++] =
            (struct variable){.name = at,
                              .bind = NO_PLACEHOLDER,
                              .cursor = source_is(t, at + 1, "sys_refcursor")};
        at = end + 1;
    }
}

// The variable that the token is, in a query; NULL: it is something else.
static struct variable *value_at(const struct translator *t, struct block *b,
                                 size_t at) {
    struct variable *variable = variable_named(t, b, at);
    const bool part = source_is(t, at - 1, ".") || source_is(t, at + 1, ".");
    return variable && !variable->cursor && !part ? variable : NULL;
}

static void take_bind(struct translator *t, struct opened_query *opened,
                      unsigned placeholder) {
    if (opened->binds == MOST_OPENED_BINDS)
        source_refuse(t, 3001, "a cursor with more than 64 binds");
    else
        opened->bind[opened->binds++] = placeholder;
}

static void take_query(struct translator *t, struct block *b,
                       struct opened_query *opened, size_t from, size_t to) {
    const struct token *last = &t->tokens[to - 1];
    const char *at = t->tokens[from].at, *end = last->at + last->length;
    if (last->type == TOKEN_QUOTED)
        end++; // its closing quote
    size_t n = 0;
    // A variable becomes a bind of its name: one character more.
    opened->query = malloc(2 * (size_t)(end - at) + 1);
    if (!opened->query) {
        source_refuse(t, 4030, "");
        return;
    }
    for (size_t i = from; i < to && !t->result->error; i++) {
        const struct token *token = &t->tokens[i];
        const struct variable *variable = value_at(t, b, i);
        if (token->type == TOKEN_BIND)
            take_bind(t, opened, bind_placeholder(t, i) - 1);
        if (!variable)
            continue;
        take_bind(t, opened, variable->bind);
        memcpy(opened->query + n, at, (size_t)(token->at - at));
        n += (size_t)(token->at - at);
        opened->query[n++] = ':';
        at = token->at;
    }
    memcpy(opened->query + n, at, (size_t)(end - at));
    opened->query_length = n + (size_t)(end - at);
}

// OPEN name FOR query in [from, to).
static void take_open(struct translator *t, struct block *b, size_t from,
                      size_t to) {
    struct translation *result = t->result;
    const size_t name = from + 1;
    if (result->opens == MOST_OPENED) {
        source_refuse(t, 3001, "a block that opens more than 16 cursors");
        return;
    }
    if (!source_is(t, from + 2, "for") ||
        !(source_is(t, from + 3, "select") || source_is(t, from + 3, "with"))) {
        source_refuse(t, 3001, "OPEN of other than a query");
        return;
    }
    struct opened_query *opened = &result->opened[result->opens++];
    *opened = (struct opened_query){.target = NO_PLACEHOLDER};
    struct variable *variable = variable_named(t, b, name);
    if (t->tokens[name].type == TOKEN_BIND)
        opened->target = bind_placeholder(t, name) - 1;
    else if (variable && variable->cursor)
        variable->open = result->opens;
    else
        source_refuse(t, 6550, "OPEN of a variable that is no SYS_REFCURSOR");
    take_query(t, b, opened, from + 3, to);
}

// DBMS_SQL.RETURN_RESULT(name) in [from, to).
static void take_result(struct translator *t, struct block *b, size_t from,
                        size_t to) {
    const size_t name = from + 4;
    const struct variable *variable = variable_named(t, b, name);
    if (!source_is(t, from + 3, "(") || name + 2 != to || !variable)
        source_refuse(t, 3001, "RETURN_RESULT of other than a variable");
    else if (variable->open == 0)
        source_refuse(t, 1001, "");
    else
        t->result->opened[variable->open - 1].returned = true;
}

// variable := bind, or bind := variable.
static void take_assignment(struct translator *t, struct block *b, size_t at) {
    struct variable *to = variable_named(t, b, at),
                    *from = variable_named(t, b, at + 2);
    if (to && !to->cursor && t->tokens[at + 2].type == TOKEN_BIND)
        to->bind = bind_placeholder(t, at + 2) - 1;
    else if (t->tokens[at].type == TOKEN_BIND && from && from->open > 0)
        t->result->opened[from->open - 1].target = bind_placeholder(t, at) - 1;
    else
        source_refuse(t, 3001, "such an assignment in a block");
}

static bool is_result(const struct translator *t, size_t at) {
    return source_is(t, at, "dbms_sql") && source_is(t, at + 1, ".") &&
           source_is(t, at + 2, "return_result");
}

bool block_opens_cursors(const struct translator *t, size_t first) {
    for (size_t at = first; at < t->count; at++)
        if (source_is(t, at, "open") &&
            (at == first || source_is(t, at - 1, ";")))
            return true;
    return false;
}

void take_opened_cursors(struct translator *t, size_t first, size_t to) {
    struct block b = {.begin = first - 1};
    read_variables(t, &b);
    for (size_t from = first; from < to && !t->result->error;) {
        const size_t end = source_find(t, from, to, ";");
        if (source_is(t, from, "open"))
            take_open(t, &b, from, end);
        else if (is_result(t, from))
            take_result(t, &b, from, end);
        else if (source_is(t, from + 1, ":=") && end == from + 3)
            take_assignment(t, &b, from);
        else if (!source_is(t, from, "null"))
            source_refuse(t, 3001, "PL/SQL next to OPEN");
        from = end + 1;
    }
    for (unsigned i = 0; i < t->result->opens; i++)
        if (t->result->opened[i].target == NO_PLACEHOLDER &&
            !t->result->opened[i].returned)
            source_refuse(t, 3001, "a cursor that stays in its block");
}
