// SPDX-License-Identifier: GPL-2.0-or-later
// ORDER BY: NULLs sort as the largest, positions and aliases denote items of
// the select list, and values that SQLite orders differently are sorted by a
// key.
#include <stdio.h>
#include <stdlib.h>

#include "sql/source.h"

size_t source_order_direction(struct translator *t, size_t from, size_t to,
                              bool *descending, bool *nulls_first) {
    bool emitted = false;
    *nulls_first = false;
    if (to - from >= 3 && source_is(t, to - 2, "nulls")) {
        emitted = true;
        *nulls_first = source_is(t, to - 1, "first");
        if (!*nulls_first && !source_is(t, to - 1, "last"))
            source_refuse(t, 30496, "");
        to -= 2;
    }
    *descending = to - from >= 2 && source_is(t, to - 1, "desc");
    if (!emitted)
        *nulls_first = *descending;
    return to - from >= 2 && (*descending || source_is(t, to - 1, "asc"))
               ? to - 1
               : to;
}

static const struct item *item_named(struct translator *t, size_t at) {
    const struct item *found = NULL;
    for (size_t i = 0; i < t->items; i++)
        if (t->item[i].alias &&
            name_equals(&t->tokens[t->item[i].alias], &t->tokens[at])) {
            if (found)
                source_refuse(t, 960, "");
            found = &t->item[i];
        }
    return found;
}

static bool has_star(const struct translator *t) {
    for (size_t i = 0; i < t->items; i++)
        if (t->item[i].star)
            return true;
    return false;
}

// The select list's item at the position that a literal gives. NULL after
// refusing, or if a * makes the position unknown.
static const struct item *item_numbered(struct translator *t, size_t at) {
    char *end;
    unsigned long n = strtoul(t->tokens[at].at, &end, 10);
    if (has_star(t))
        return NULL;
    if (end != t->tokens[at].at + t->tokens[at].length || n < 1 ||
        n > t->items) {
        source_refuse(t, 1785, "");
        return NULL;
    }
    return &t->item[n - 1];
}

// With DISTINCT, rows are ordered by values of the select list only.
static bool is_shown(const struct translator *t, size_t from, size_t to) {
    for (size_t i = 0; i < t->items; i++) {
        const struct item *item = &t->item[i];
        size_t n = 0;
        if (item->star)
            return true;
        while (from + n < to && item->tokens_from + n < item->tokens_to &&
               t->tokens[from + n].length ==
                   t->tokens[item->tokens_from + n].length &&
               name_equals(&t->tokens[from + n],
                           &t->tokens[item->tokens_from + n]))
            n++;
        if (from + n == to && item->tokens_from + n == item->tokens_to)
            return true;
        if (to == from + 1 && source_is_name(t, from) &&
            name_equals(&t->tokens[from], &t->tokens[item->tokens_to - 1]))
            return true;
    }
    return false;
}

static void emit_key(struct translator *t, size_t begin,
                     enum operand_type type) {
    if (operand_orders_natively(type))
        return;
    if (operand_is_lob(type))
        source_refuse(t, 932, "a LOB has no order");
    emit_at(t, begin, " SORT_KEY$(");
    emit_text(t, ")");
}

static void emit_term(struct translator *t, size_t from, size_t to, bool window,
                      bool distinct) {
    const bool number = to == from + 1 && t->tokens[from].type == TOKEN_NUMBER;
    const struct item *item = NULL;
    const size_t begin = t->length;
    if (window && number) { // a constant
        emit_text(t, " NULL");
        return;
    }
    if (number)
        item = item_numbered(t, from);
    else if (!window && to == from + 1 && source_is_name(t, from))
        item = item_named(t, from);
    if (number && !item && !t->result->error) {
        emit_text(t, " ");
        emit_bytes(t, t->tokens[from].at, t->tokens[from].length);
        if (!columns_order_natively(t))
            source_refuse(t, 3001, "ORDER BY the position of such a column");
    } else if (number && item && operand_orders_natively(item->value.type)) {
        emit_text(t, " ");
        emit_bytes(t, t->tokens[from].at, t->tokens[from].length);
    } else if (item && !operand_orders_natively(item->value.type)) {
        emit_again(t, item->value.from, item->value.to);
        emit_key(t, begin, item->value.type);
    } else if (item) {
        emit_text(t, " ");
        emit_name(t, from);
    } else {
        if (distinct && !is_shown(t, from, to))
            source_refuse(t, 1791, "");
        struct operand emitted = emit_whole_value(t, from, to, 933);
        emit_key(t, begin, emitted.type);
    }
}

void emit_order_by(struct translator *t, size_t from, size_t to, bool window,
                   bool distinct) {
    if (!source_is(t, from + 1, "by")) {
        source_refuse(t, 924, "");
        return;
    }
    emit_text(t, " ORDER BY");
    for (size_t at = from + 2; at <= to && !t->result->error;) {
        size_t comma = source_find(t, at, to, ",");
        bool descending, nulls_first;
        if (at > from + 2)
            emit_text(t, ",");
        if (comma == at) {
            source_refuse(t, 936, "");
            return;
        }
        size_t end =
            source_order_direction(t, at, comma, &descending, &nulls_first);
        emit_term(t, at, end, window, distinct);
        emit_text(t, descending ? " DESC" : "");
        emit_text(t, nulls_first ? " NULLS FIRST" : " NULLS LAST");
        at = comma + 1;
    }
}
