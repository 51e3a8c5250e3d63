// SPDX-License-Identifier: GPL-2.0-or-later
// ORDER BY: NULLs are the largest, positions and aliases mean items of the
// select list, and what SQLite orders otherwise is ordered by a key.
#include <stdio.h>
#include <stdlib.h>

#include "sql/source.h"

// ASC or DESC, NULLS FIRST or LAST, at the end of a term. Returns where the
// value ends.
static size_t read_direction(struct translator *t, size_t from, size_t to,
                             bool *descending, bool *nulls_first) {
    bool said = false;
    *nulls_first = false;
    if (to - from >= 3 && is(t, to - 2, "nulls")) {
        said = true;
        *nulls_first = is(t, to - 1, "first");
        if (!*nulls_first && !is(t, to - 1, "last"))
            refuse(t, 30496, "");
        to -= 2;
    }
    *descending = to - from >= 2 && is(t, to - 1, "desc");
    if (!said)
        *nulls_first = *descending;
    return to - from >= 2 && (*descending || is(t, to - 1, "asc")) ? to - 1
                                                                   : to;
}

static const struct item *item_named(struct translator *t, size_t at) {
    const struct item *found = NULL;
    for (size_t i = 0; i < t->items; i++)
        if (t->item[i].alias &&
            equal_names(&t->tokens[t->item[i].alias], &t->tokens[at])) {
            if (found)
                refuse(t, 960, "");
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

// The item that a literal stands for. NULL after refusing, or where a * makes
// it one of many columns.
static const struct item *item_numbered(struct translator *t, size_t at) {
    char *end;
    unsigned long n = strtoul(t->tokens[at].at, &end, 10);
    if (has_star(t))
        return NULL;
    if (end != t->tokens[at].at + t->tokens[at].length || n < 1 ||
        n > t->items) {
        refuse(t, 1785, "");
        return NULL;
    }
    return &t->item[n - 1];
}

// With DISTINCT, rows are ordered by what they show.
static bool is_shown(const struct translator *t, size_t from, size_t to) {
    for (size_t i = 0; i < t->items; i++) {
        const struct item *item = &t->item[i];
        size_t n = 0;
        if (item->star)
            return true;
        while (from + n < to && item->tokens_from + n < item->tokens_to &&
               t->tokens[from + n].length ==
                   t->tokens[item->tokens_from + n].length &&
               equal_names(&t->tokens[from + n],
                           &t->tokens[item->tokens_from + n]))
            n++;
        if (from + n == to && item->tokens_from + n == item->tokens_to)
            return true;
        if (to == from + 1 && is_name(t, from) &&
            equal_names(&t->tokens[from], &t->tokens[item->tokens_to - 1]))
            return true;
    }
    return false;
}

static void say_key(struct translator *t, size_t begin,
                    enum operand_type type) {
    if (orders_itself(type))
        return;
    insert(t, begin, " SORT_KEY$(");
    say(t, ")");
}

static void say_term(struct translator *t, size_t from, size_t to, bool window,
                     bool distinct) {
    const bool number = to == from + 1 && t->tokens[from].type == TOKEN_NUMBER;
    const struct item *item = NULL;
    const size_t begin = t->length;
    if (window && number) { // a constant
        say(t, " NULL");
        return;
    }
    if (number)
        item = item_numbered(t, from);
    else if (!window && to == from + 1 && is_name(t, from))
        item = item_named(t, from);
    if (number && !item && !t->result->error) {
        say(t, " ");
        say_part(t, t->tokens[from].at, t->tokens[from].length);
        if (!columns_order_themselves(t))
            refuse(t, 3001, "ORDER BY the position of such a column");
    } else if (number && item && orders_itself(item->value.type)) {
        say(t, " ");
        say_part(t, t->tokens[from].at, t->tokens[from].length);
    } else if (item && !orders_itself(item->value.type)) {
        say_again(t, item->value.from, item->value.to);
        say_key(t, begin, item->value.type);
    } else if (item) {
        say(t, " ");
        say_name(t, from);
    } else {
        if (distinct && !is_shown(t, from, to))
            refuse(t, 1791, "");
        struct operand said = say_whole_value(t, from, to, 933);
        say_key(t, begin, said.type);
    }
}

void say_order_by(struct translator *t, size_t from, size_t to, bool window,
                  bool distinct) {
    if (!is(t, from + 1, "by")) {
        refuse(t, 924, "");
        return;
    }
    say(t, " ORDER BY");
    for (size_t at = from + 2; at <= to && !t->result->error;) {
        size_t comma = find(t, at, to, ",");
        bool descending, nulls_first;
        if (at > from + 2)
            say(t, ",");
        if (comma == at) {
            refuse(t, 936, "");
            return;
        }
        size_t end = read_direction(t, at, comma, &descending, &nulls_first);
        say_term(t, at, end, window, distinct);
        say(t, descending ? " DESC" : "");
        say(t, nulls_first ? " NULLS FIRST" : " NULLS LAST");
        at = comma + 1;
    }
}
