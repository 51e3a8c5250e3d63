// SPDX-License-Identifier: GPL-2.0-or-later
// A whole query: WITH, set operators, and the order of their result.
#include <stdlib.h>
#include <string.h>

#include "sql/query_block.h"

// From here on `name` denotes a query.
static void reach(struct translator *t, size_t name) {
    if (t->withs == MOST_WITHS) {
        source_refuse(t, 3001, "this many queries in WITH");
        return;
    }
    t->with_source[t->withs] = 0;
    t->with[t->withs++] = name;
}

// WITH name [(columns)] AS (query), ... Returns where the query begins.
static size_t emit_with(struct translator *t, size_t from, size_t to) {
    const char *between = "WITH";
    for (;;) {
        size_t at = from + 1;
        emit_text(t, between);
        emit_text(t, " ");
        const size_t name = at;
        emit_name(t, at++);
        const bool recursive = source_is(t, at, "(");
        if (recursive) { // possibly: so it is visible inside, too
            reach(t, name);
            emit_text(t, "(");
            for (size_t i = at + 1; i < t->close[at]; i++)
                if (source_is(t, i, ","))
                    emit_text(t, ",");
                else
                    emit_name(t, i);
            emit_text(t, ")");
            at = t->close[at] + 1;
        }
        if (!source_is(t, at, "as") || !source_is(t, at + 1, "(")) {
            source_refuse(t, 905, "");
            return to;
        }
        emit_text(t, " AS (");
        emit_query(t, at + 2, t->close[at + 1]);
        emit_text(t, ")");
        if (!recursive && t->twice)
            source_refuse(t, 918, "");
        if (!recursive)
            reach(t, name);
        else
            outputs_rename(t, t->queries_emitted, name + 1);
        if (t->withs > 0)
            t->with_source[t->withs - 1] = t->queries_emitted;
        at = t->close[at + 1] + 1;
        if (!source_is(t, at, ",") || t->result->error)
            break;
        between = ",";
        from = at;
    }
    size_t select = source_find(t, from, to, "select");
    if (t->close[select - 1] == 0 && !source_is(t, select - 1, ")"))
        source_refuse(t, 928, "");
    emit_text(t, " ");
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
            source_refuse(t, 1790, "");
    }
}

// Notes whether SQLite orders the rows of all blocks as Oracle does.
static void note_types(struct translator *t, struct item *first, size_t items) {
    for (size_t i = 0; i < items && i < t->items; i++) {
        if (!operand_orders_natively(t->item[i].value.type))
            first[i].value.type = OPERAND_UNKNOWN;
        if (first[i].shown <= OPERAND_NULL)
            first[i].shown = t->item[i].shown;
    }
}

enum { MOST_SET_OPERATORS = 500 }; // SQLite takes no more

static void emit_set(struct translator *t, size_t from, size_t to) {
    static const char *const set_operators[] = {"union", "intersect", "minus",
                                                NULL};
    const size_t order = source_find(t, from, to, "order");
    size_t end = source_find_any(t, from, order, set_operators);
    struct item *first = NULL;
    size_t items = 0;
    unsigned operators = 0;
    const size_t begin = t->length;
    if (end == order) {
        emit_query_block(t, from, to, false);
        return;
    }
    t->result->sets = true;
    for (;;) {
        emit_query_block(t, from, end, true);
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
        emit_text(t, source_is(t, end, "union")       ? " UNION"
                     : source_is(t, end, "intersect") ? " INTERSECT"
                                                      : " EXCEPT");
        if (++operators == MOST_SET_OPERATORS)
            source_refuse(t, 3001, "this many set operators");
        end++;
        if (source_is(t, end, "all")) {
            emit_text(t, " ALL");
            end++;
        } else {
            for (size_t i = 0; i < items; i++)
                if (operand_is_lob(first[i].value.type))
                    source_refuse(t, 932, "a LOB in a set");
        }
        emit_text(t, " ");
        from = end;
        end = source_find_any(t, from, order, set_operators);
    }
    free(t->item);
    t->item = first;
    t->items = items;
    t->grouping = false;
    if (order < to && !t->result->error)
        emit_order_of_set(t, begin, order, to);
}

static size_t name_twice(const struct translator *t) {
    for (size_t i = 0; i < t->items; i++)
        for (size_t j = 0; j < i; j++) {
            const size_t a = outputs_name_of(t, &t->item[i]);
            const size_t b = outputs_name_of(t, &t->item[j]);
            if (a && b && name_equals(&t->tokens[a], &t->tokens[b]))
                return a;
        }
    return 0;
}

enum operand_type emit_query(struct translator *t, size_t from, size_t to) {
    const struct translator outer = *t;
    enum { DEEPEST = 50 };
    if (t->queries++ == DEEPEST)
        source_refuse(t, 913, "");
    t->item = NULL;
    t->items = 0;
    t->rownum_allowed = false;
    grouping_begin(t, 0, 0, false);
    if (source_is(t, from, "with"))
        from = emit_with(t, from, to);
    if (!t->result->error)
        emit_set(t, from, to);
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
    outputs_keep(t);
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
