// SPDX-License-Identifier: GPL-2.0-or-later
// A select list: its values and their names.
#include <ctype.h>
#include <stdlib.h>

#include "sql/query_block.h"

// Oracle names an expression by its text in upper case without blanks.
static void emit_item_name(struct translator *t, size_t from, size_t to) {
    size_t length = 0;
    bool simple = true;
    for (size_t i = from; i < to; i++)
        simple = simple && (source_is_name(t, i) || source_is(t, i, "."));
    if (simple)
        from = to - 1;
    emit_text(t, " AS \"");
    for (; from < to; from++) {
        const struct token *token = &t->tokens[from];
        if (token->type == TOKEN_BIND)
            emit_text(t, ":");
        for (size_t i = 0; i < token->length && length < LONGEST_NAME; i++) {
            char c = token->at[i];
            if (token->type != TOKEN_QUOTED)
                c = (char)toupper((unsigned char)c);
            if (c == '"' || (c == ' ' && token->type == TOKEN_STRING))
                continue;
            emit_bytes(t, &c, 1);
            length++;
        }
    }
    emit_text(t, "\"");
}

static void emit_star(struct translator *t, size_t from, size_t to) {
    if (t->grouping)
        source_refuse(t, t->group_from < t->group_to ? 979 : 937, "");
    emit_text(t, " ");
    for (size_t at = from; at + 1 < to; at += 2) {
        emit_name(t, at);
        emit_text(t, ".");
        if (!source_is(t, at + 1, "."))
            source_refuse(t, 936, "");
    }
    emit_text(t, "*");
}

struct item *select_list_add(struct translator *t) {
    enum { MOST_ITEMS = 1000 };
    struct item *grown =
        t->items < MOST_ITEMS
            ? realloc(t->item, (t->items + 1) * sizeof *t->item)
            : NULL;
    if (!grown) {
        source_refuse(t, 1792, "");
        return NULL;
    }
    t->item = grown;
    t->item[t->items] = (struct item){0};
    return &t->item[t->items++];
}

static void emit_item(struct translator *t, size_t from, size_t to,
                      struct item *item) {
    struct operand emitted;
    size_t at = from;
    *item = (struct item){.tokens_from = from, .tokens_to = to};
    if (from == to) {
        source_refuse(t, 936, "");
        return;
    }
    if (source_is(t, to - 1, "*") &&
        (to - from == 1 || source_is(t, to - 2, "."))) {
        item->star = true;
        if (to - from == 1 && source_is(t, from - 1, ","))
            source_refuse(t, 936, "");
        else if (to - from == 1 && source_is(t, to, ","))
            source_refuse(t, 923, "");
        emit_star(t, from, to);
        return;
    }
    emitted = emit_value(t, &at, to);
    emitted.to = t->length;
    item->tokens_to = at;
    item->value = emitted;
    item->shown = emitted.type;
    if (at < to && source_is(t, at, "as"))
        at++;
    if (at < to) {
        if (at + 1 != to || !source_is_name(t, at) ||
            source_is_keyword(t, at) || !source_may_name(t, at))
            source_refuse(t, 923, "");
        item->alias = at;
    }
    if (!t->result->error)
        emit_item_name(t, at < to ? at : from, to > at ? to : at);
}

void emit_select_list(struct translator *t, const struct query_block *b) {
    const bool allowed = t->rownum_allowed;
    t->rownum_allowed =
        !grouping_has_aggregate(t, b->list_from, b->list_to) &&
        source_find(t, b->rest_from, b->rest_to, "group") == b->rest_to;
    t->items = 0;
    emit_text(t, b->distinct ? "SELECT DISTINCT" : "SELECT");
    for (size_t from = b->list_from; from <= b->list_to;) {
        size_t comma = source_find(t, from, b->list_to, ",");
        struct item one;
        if (from > b->list_from)
            emit_text(t, ",");
        emit_item(t, from, comma, &one);
        struct item *kept = select_list_add(t);
        if (t->result->error)
            break;
        *kept = one;
        from = comma + 1;
    }
    t->rownum_allowed = allowed;
    // Oracle puts the columns of USING first.
    for (size_t i = 0; i < t->items; i++)
        if (t->item[i].star &&
            (source_find(t, b->from_from, b->from_to, "using") < b->from_to ||
             source_find(t, b->from_from, b->from_to, "natural") < b->from_to))
            source_refuse(t, 3001, "* of such a join");
    for (size_t i = 0; b->distinct && i < t->items; i++)
        if (operand_is_lob(t->item[i].value.type))
            source_refuse(t, 932, "DISTINCT of a LOB");
}
