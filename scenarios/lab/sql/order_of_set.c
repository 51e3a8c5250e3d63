// SPDX-License-Identifier: GPL-2.0-or-later
// ORDER BY of a set: its terms are columns, by position or by the names that
// the first query gives them. SQLite takes nothing else there, so a column that
// needs a key to be sorted by is ordered in a query around the set.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sql/query_block.h"

enum { MOST_TERMS = 255 };

struct term {
    size_t item;
    bool descending, nulls_first;
};

// The column that the term in [from, to) denotes; t->items after refusing.
static size_t item_of(struct translator *t, size_t from, size_t to) {
    size_t found = t->items;
    if (to == from + 1 && t->tokens[from].type == TOKEN_NUMBER) {
        char *end;
        const unsigned long n = strtoul(t->tokens[from].at, &end, 10);
        if (end == t->tokens[from].at + t->tokens[from].length && n >= 1 &&
            n <= t->items)
            return n - 1;
        source_refuse(t, 1785, "");
        return found;
    }
    if (to != from + 1 || !source_is_name(t, from)) {
        source_refuse(t, from == to ? 936 : 1785, "");
        return found;
    }
    for (size_t i = 0; i < t->items; i++) {
        const size_t name = outputs_name_of(t, &t->item[i]);
        if (name == 0 || !name_equals(&t->tokens[name], &t->tokens[from]))
            continue;
        if (found < t->items)
            source_refuse(t, 960, "");
        found = i;
    }
    if (found == t->items)
        source_refuse_token(t, 904, from);
    return found;
}

static size_t read_terms(struct translator *t, size_t from, size_t to,
                         struct term term[MOST_TERMS]) {
    size_t terms = 0;
    for (size_t at = from; at <= to && !t->result->error;) {
        const size_t comma = source_find(t, at, to, ",");
        struct term *one = &term[terms];
        if (terms++ == MOST_TERMS) {
            source_refuse(t, 3001, "this many terms in ORDER BY");
            break;
        }
        const size_t end = source_order_direction(
            t, at, comma, &one->descending, &one->nulls_first);
        one->item = item_of(t, at, end);
        at = comma + 1;
    }
    return terms;
}

// The emitted name of an item, in its quotes: it follows the value. "" after
// refusing.
static void name_of(struct translator *t, const struct item *item,
                    char name[LONGEST_NAME + 3]) {
    const char *from = t->text + item->value.to, *end = t->text + t->length;
    const char *open = memchr(from, '"', (size_t)(end - from));
    const char *close =
        open ? memchr(open + 1, '"', (size_t)(end - open - 1)) : NULL;
    const size_t length = close ? (size_t)(close + 1 - open) : 0;
    const bool fits = length > 0 && length < LONGEST_NAME + 3;
    if (!fits)
        source_refuse(t, 972, "");
    snprintf(name, LONGEST_NAME + 3, "%.*s", (int)(fits ? length : 0),
             fits ? open : "");
}

// To the query around the set, a name has to denote one column.
static void check_names(struct translator *t) {
    char name[LONGEST_NAME + 3], other[LONGEST_NAME + 3];
    source_work(t, t->items * t->items);
    for (size_t i = 0; i < t->items && !t->result->error; i++) {
        name_of(t, &t->item[i], name);
        for (size_t j = 0; j < i; j++) {
            name_of(t, &t->item[j], other);
            if (strcasecmp(name, other) == 0)
                source_refuse(t, 3001, "ORDER BY of such a set");
        }
    }
}

static void emit_key(struct translator *t, size_t at) {
    const enum operand_type type = t->item[at].value.type;
    char text[LONGEST_NAME + 3];
    if (operand_is_lob(type))
        source_refuse(t, 932, "a LOB has no order");
    if (operand_orders_natively(type)) {
        snprintf(text, sizeof text, " %zu", at + 1);
        emit_text(t, text);
        return;
    }
    name_of(t, &t->item[at], text);
    emit_text(t, " SORT_KEY$(");
    emit_text(t, text);
    emit_text(t, ")");
}

void emit_order_of_set(struct translator *t, size_t begin, size_t from,
                       size_t to) {
    struct term term[MOST_TERMS];
    bool native = true;
    if (!source_is(t, from + 1, "by")) {
        source_refuse(t, 924, "");
        return;
    }
    for (size_t i = 0; i < t->items; i++)
        if (t->item[i].star)
            source_refuse(t, 3001, "ORDER BY of such a set");
    const size_t terms = read_terms(t, from + 2, to, term);
    for (size_t i = 0; i < terms && !t->result->error; i++)
        native =
            native && operand_orders_natively(t->item[term[i].item].value.type);
    if (!native && !t->result->error)
        check_names(t);
    emit_text(t, native ? " ORDER BY" : ") ORDER BY");
    for (size_t i = 0; i < terms && !t->result->error; i++) {
        emit_text(t, i > 0 ? "," : "");
        emit_key(t, term[i].item);
        emit_text(t, term[i].descending ? " DESC" : "");
        emit_text(t, term[i].nulls_first ? " NULLS FIRST" : " NULLS LAST");
    }
    if (!native)
        emit_at(t, begin, "SELECT * FROM (");
}
