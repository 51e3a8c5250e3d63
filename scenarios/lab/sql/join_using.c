// SPDX-License-Identifier: GPL-2.0-or-later
// A column that two tables are joined by USING is neither's: no table's name
// may stand in front of it.
#include "sql/query_block.h"

static bool is_query(const struct translator *t, size_t open) {
    return is(t, open + 1, "select") || is(t, open + 1, "with");
}

// Whether one of the tables named in [from, to) is called as `name`.
static bool is_joined(const struct translator *t, size_t from, size_t to,
                      size_t name) {
    for (size_t at = from; at < to; at++) {
        if (is(t, at, "(") && is_query(t, at))
            at = t->close[at];
        else if (is_name(t, at) &&
                 equal_names(&t->tokens[at], &t->tokens[name]))
            return true;
    }
    return false;
}

// Looks at all of the block but the queries in it for the column at `column`
// with one of the tables in [from, to) before it.
static void check_column(struct translator *t, const struct query_block *b,
                         size_t from, size_t to, size_t column) {
    for (size_t at = b->list_from; at < b->rest_to; at++) {
        if (is(t, at, "(") && is_query(t, at))
            at = t->close[at];
        else if (at >= b->list_from + 2 && is_name(t, at) &&
                 is(t, at - 1, ".") &&
                 equal_names(&t->tokens[at], &t->tokens[column]) &&
                 is_joined(t, from, to, at - 2))
            refuse(t, 25154, "");
    }
}

static void check_joins(struct translator *t, const struct query_block *b,
                        size_t from, size_t to) {
    for (size_t at = from; at < to; at = past(t, at)) {
        if (is(t, at, ","))
            from = at + 1;
        else if (is(t, at, "(") && !is_query(t, at))
            check_joins(t, b, at + 1, t->close[at]);
        if (!is(t, at, "using") || !is(t, at + 1, "("))
            continue;
        for (size_t i = at + 2; i < t->close[at + 1]; i++)
            if (is_name(t, i))
                check_column(t, b, from, at, i);
    }
}

void check_using(struct translator *t, const struct query_block *b) {
    check_joins(t, b, b->from_from, b->from_to);
}
