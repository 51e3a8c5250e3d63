// SPDX-License-Identifier: GPL-2.0-or-later
// A whole query: WITH, set operators, and the order of a set.
#include <stdlib.h>
#include <string.h>

#include "sql/query_block.h"

// From here on, `name` is a query's.
static void reach(struct translator *t, size_t name) {
    if (t->withs == MOST_WITHS) {
        refuse(t, 3001, "so many queries in WITH");
        return;
    }
    t->with_source[t->withs] = 0;
    t->with[t->withs++] = name;
}

// WITH name [(columns)] AS (query), ... Returns where the query begins.
static size_t say_with(struct translator *t, size_t from, size_t to) {
    const char *between = "WITH";
    for (;;) {
        size_t at = from + 1;
        say(t, between);
        say(t, " ");
        const size_t name = at;
        say_name(t, at++);
        const bool recursive = is(t, at, "(");
        if (recursive) { // may be: it is known inside, too
            reach(t, name);
            say(t, "(");
            for (size_t i = at + 1; i < t->close[at]; i++)
                if (is(t, i, ","))
                    say(t, ",");
                else
                    say_name(t, i);
            say(t, ")");
            at = t->close[at] + 1;
        }
        if (!is(t, at, "as") || !is(t, at + 1, "(")) {
            refuse(t, 905, "");
            return to;
        }
        say(t, " AS (");
        say_query(t, at + 2, t->close[at + 1]);
        say(t, ")");
        if (!recursive && t->twice)
            refuse(t, 918, "");
        if (!recursive)
            reach(t, name);
        else
            rename_outputs(t, t->queries_said, name + 1);
        if (t->withs > 0)
            t->with_source[t->withs - 1] = t->queries_said;
        at = t->close[at + 1] + 1;
        if (!is(t, at, ",") || t->result->error)
            break;
        between = ",";
        from = at;
    }
    size_t select = find(t, from, to, "select");
    if (t->close[select - 1] == 0 && !is(t, select - 1, ")"))
        refuse(t, 928, "");
    say(t, " ");
    return select;
}

static void check_set(struct translator *t, const struct item *first,
                      size_t items) {
    for (size_t i = 0; i < items && i < t->items; i++) {
        enum operand_type a = first[i].value.type, b = t->item[i].value.type;
        if (first[i].star || t->item[i].star)
            return;
        if (a == OPERAND_NULL || b == OPERAND_NULL || a == OPERAND_UNKNOWN ||
            b == OPERAND_UNKNOWN)
            continue;
        const bool numbers = (a == OPERAND_SMALL || a == OPERAND_NUMBER) &&
                             (b == OPERAND_SMALL || b == OPERAND_NUMBER);
        if (a != b && !numbers)
            refuse(t, 1790, "");
    }
}

// Whether rows of all blocks are ordered by SQLite as Oracle orders them.
static void note_types(struct translator *t, struct item *first, size_t items) {
    for (size_t i = 0; i < items && i < t->items; i++) {
        if (!orders_itself(t->item[i].value.type))
            first[i].value.type = OPERAND_UNKNOWN;
        if (first[i].shown <= OPERAND_NULL)
            first[i].shown = t->item[i].shown;
    }
}

// Of a set, [from, to) begins with ORDER BY. Its terms are columns.
static void say_order_of_set(struct translator *t, size_t from, size_t to) {
    for (size_t i = 0; i < t->items; i++)
        if (t->item[i].star || !orders_itself(t->item[i].value.type)) {
            refuse(t, 3001, "ORDER BY of such a set");
            return;
        }
    say_order_by(t, from, to, false, true);
}

static void say_set(struct translator *t, size_t from, size_t to) {
    static const char *const set_operators[] = {"union", "intersect", "minus",
                                                NULL};
    const size_t order = find(t, from, to, "order");
    size_t end = first_of(t, from, order, set_operators);
    struct item *first = NULL;
    size_t items = 0;
    if (end == order) {
        say_block(t, from, to, false);
        return;
    }
    for (;;) {
        say_block(t, from, end, true);
        if (!first) {
            first = t->item;
            items = t->items;
            t->item = NULL;
            t->items = 0;
        } else {
            check_set(t, first, items);
            note_types(t, first, items);
        }
        if (end == order || t->result->error)
            break;
        say(t, is(t, end, "union")       ? " UNION"
               : is(t, end, "intersect") ? " INTERSECT"
                                         : " EXCEPT");
        end++;
        if (is(t, end, "all")) {
            say(t, " ALL");
            end++;
        }
        say(t, " ");
        from = end;
        end = first_of(t, from, order, set_operators);
    }
    free(t->item);
    t->item = first;
    t->items = items;
    t->grouping = false;
    if (order < to && !t->result->error)
        say_order_of_set(t, order, to);
}

static size_t name_twice(const struct translator *t) {
    for (size_t i = 0; i < t->items; i++)
        for (size_t j = 0; j < i; j++) {
            const size_t a = output_name(t, &t->item[i]);
            const size_t b = output_name(t, &t->item[j]);
            if (a && b && equal_names(&t->tokens[a], &t->tokens[b]))
                return a;
        }
    return 0;
}

enum operand_type say_query(struct translator *t, size_t from, size_t to) {
    const struct translator outer = *t;
    enum { DEEPEST = 50 };
    if (t->queries++ == DEEPEST)
        refuse(t, 913, "");
    t->item = NULL;
    t->items = 0;
    t->rownum_allowed = false;
    grouping_of(t, 0, 0, false);
    if (is(t, from, "with"))
        from = say_with(t, from, to);
    if (!t->result->error)
        say_set(t, from, to);
    enum operand_type type = t->items == 1 && !t->item[0].star
                                 ? t->item[0].value.type
                                 : OPERAND_UNKNOWN;
    t->result->columns = 0;
    for (size_t i = 0; i < t->items && i < MOST_COLUMNS; i++) {
        if (t->item[i].star) {
            t->result->columns = 0;
            break;
        }
        t->result->column[t->result->columns++] = (uint8_t)t->item[i].shown;
    }
    t->twice = name_twice(t);
    t->withs = outer.withs;
    keep_outputs(t);
    memcpy(t->from_source, outer.from_source, sizeof t->from_source);
    t->from_sources = outer.from_sources;
    free(t->item);
    t->item = outer.item;
    t->items = outer.items;
    t->rownum_allowed = outer.rownum_allowed;
    t->grouping = outer.grouping;
    t->group_from = outer.group_from;
    t->group_to = outer.group_to;
    t->covered = outer.covered;
    t->aggregates = outer.aggregates;
    t->queries--;
    return type;
}
