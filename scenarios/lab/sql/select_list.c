// SPDX-License-Identifier: GPL-2.0-or-later
// A select list: its values and their names.
#include <ctype.h>
#include <stdlib.h>

#include "sql/query_block.h"

// Oracle names an expression by its text, upper case and without blanks.
static void say_item_name(struct translator *t, size_t from, size_t to) {
    size_t length = 0;
    bool simple = true;
    for (size_t i = from; i < to; i++)
        simple = simple && (is_name(t, i) || is(t, i, "."));
    if (simple)
        from = to - 1;
    say(t, " AS \"");
    for (; from < to; from++) {
        const struct token *token = &t->tokens[from];
        if (token->type == TOKEN_BIND)
            say(t, ":");
        for (size_t i = 0; i < token->length && length < LONGEST_NAME; i++) {
            char c = token->at[i];
            if (token->type != TOKEN_QUOTED)
                c = (char)toupper((unsigned char)c);
            if (c == '"' || (c == ' ' && token->type == TOKEN_STRING))
                continue;
            say_part(t, &c, 1);
            length++;
        }
    }
    say(t, "\"");
}

static void say_star(struct translator *t, size_t from, size_t to) {
    if (t->grouping)
        refuse(t, t->group_from < t->group_to ? 979 : 937, "");
    say(t, " ");
    for (size_t at = from; at + 1 < to; at += 2) {
        say_name(t, at);
        say(t, ".");
        if (!is(t, at + 1, "."))
            refuse(t, 936, "");
    }
    say(t, "*");
}

struct item *new_item(struct translator *t) {
    enum { MOST_ITEMS = 1000 };
    struct item *grown =
        t->items < MOST_ITEMS
            ? realloc(t->item, (t->items + 1) * sizeof *t->item)
            : NULL;
    if (!grown) {
        refuse(t, 1792, "");
        return NULL;
    }
    t->item = grown;
    t->item[t->items] = (struct item){0};
    return &t->item[t->items++];
}

static void say_item(struct translator *t, size_t from, size_t to,
                     struct item *item) {
    struct operand said;
    size_t at = from;
    *item = (struct item){.tokens_from = from, .tokens_to = to};
    if (from == to) {
        refuse(t, 936, "");
        return;
    }
    if (is(t, to - 1, "*") && (to - from == 1 || is(t, to - 2, "."))) {
        item->star = true;
        if (to - from == 1 && is(t, from - 1, ","))
            refuse(t, 936, "");
        else if (to - from == 1 && is(t, to, ","))
            refuse(t, 923, "");
        say_star(t, from, to);
        return;
    }
    said = say_value(t, &at, to);
    said.to = t->length;
    item->tokens_to = at;
    item->value = said;
    item->shown = said.type;
    if (at < to && is(t, at, "as"))
        at++;
    if (at < to) {
        if (at + 1 != to || !is_name(t, at) || is_keyword(t, at) ||
            !may_be_named(t, at))
            refuse(t, 923, "");
        item->alias = at;
    }
    if (!t->result->error)
        say_item_name(t, at < to ? at : from, to > at ? to : at);
}

void say_list(struct translator *t, const struct query_block *b) {
    const bool allowed = t->rownum_allowed;
    t->rownum_allowed =
        !has_aggregate(t, b->list_from, b->list_to) &&
        find(t, b->rest_from, b->rest_to, "group") == b->rest_to;
    t->items = 0;
    say(t, b->distinct ? "SELECT DISTINCT" : "SELECT");
    for (size_t from = b->list_from; from <= b->list_to;) {
        size_t comma = find(t, from, b->list_to, ",");
        struct item one;
        if (from > b->list_from)
            say(t, ",");
        say_item(t, from, comma, &one);
        struct item *kept = new_item(t);
        if (t->result->error)
            break;
        *kept = one;
        from = comma + 1;
    }
    t->rownum_allowed = allowed;
    // Oracle shows the columns of a USING first.
    for (size_t i = 0; i < t->items; i++)
        if (t->item[i].star &&
            (find(t, b->from_from, b->from_to, "using") < b->from_to ||
             find(t, b->from_from, b->from_to, "natural") < b->from_to))
            refuse(t, 3001, "* of such a join");
}
