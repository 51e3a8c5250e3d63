// SPDX-License-Identifier: GPL-2.0-or-later
// A column that tables are joined by with USING belongs to neither: it must not
// be qualified by a table's name.
#include "sql/query_block.h"

static bool is_query(const struct translator *t, size_t open) {
    return source_is(t, open + 1, "select") || source_is(t, open + 1, "with");
}

// Whether `name` is the name or alias of a table in [from, to).
static bool is_joined(const struct translator *t, size_t from, size_t to,
                      size_t name) {
    for (size_t at = from; at < to; at++) {
        if (source_is(t, at, "(") && is_query(t, at))
            at = t->close[at];
        else if (source_is_name(t, at) &&
                 name_equals(&t->tokens[at], &t->tokens[name]))
            return true;
    }
    return false;
}

// Searches the block, except its subqueries, for the column at `column`
// qualified by one of the tables in [from, to).
static void check_column(struct translator *t, const struct query_block *b,
                         size_t from, size_t to, size_t column) {
    for (size_t at = b->list_from; at < b->rest_to; at++) {
        if (source_is(t, at, "(") && is_query(t, at))
            at = t->close[at];
        else if (at >= b->list_from + 2 && source_is_name(t, at) &&
                 source_is(t, at - 1, ".") &&
                 name_equals(&t->tokens[at], &t->tokens[column]) &&
                 is_joined(t, from, to, at - 2))
            source_refuse(t, 25154, "");
    }
}

static void check_joins(struct translator *t, const struct query_block *b,
                        size_t from, size_t to) {
    for (size_t at = from; at < to; at = source_after(t, at)) {
        if (source_is(t, at, ","))
            from = at + 1;
        else if (source_is(t, at, "(") && !is_query(t, at))
            check_joins(t, b, at + 1, t->close[at]);
        if (!source_is(t, at, "using") || !source_is(t, at + 1, "("))
            continue;
        for (size_t i = at + 2; i < t->close[at + 1]; i++)
            if (source_is_name(t, i))
                check_column(t, b, from, at, i);
    }
}

void join_using_check(struct translator *t, const struct query_block *b) {
    check_joins(t, b, b->from_from, b->from_to);
}
