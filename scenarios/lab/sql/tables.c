// SPDX-License-Identifier: GPL-2.0-or-later
// What comes after FROM.
#include "sql/query_block.h"

// A column that the query in FROM has twice must not be meant outside of it.
static void check_twice(struct translator *t, const struct query_block *b,
                        size_t name) {
    for (size_t at = b->list_from; name && at < b->rest_to; at++) {
        if (at == b->from_from)
            at = b->from_to;
        const bool star =
            is(t, at, "*") && at < b->list_to &&
            (at == b->list_from || is(t, at - 1, ",") || is(t, at - 1, "."));
        if (star || (is_name(t, at) && at < b->rest_to &&
                     equal_names(&t->tokens[at], &t->tokens[name])))
            refuse(t, 918, "");
    }
}

// A table, a subquery, or several with joins between them.
static void say_tables(struct translator *t, const struct query_block *b,
                       size_t from, size_t to) {
    static const char *const join_words[] = {
        "inner", "left", "right", "full", "outer", "cross", "natural", NULL};
    bool table = true;      // one is to come
    int conditions = 0;     // that joins want and did not get yet
    bool free_join = false; // the next one wants none
    for (size_t at = from; at < to && !t->result->error;) {
        bool word = false;
        for (const char *const *w = join_words; *w; w++)
            word = word || is(t, at, *w);
        if (is(t, at, "join") || word) {
            say(t, " ");
            say_part(t, t->tokens[at].at, t->tokens[at].length);
            table = is(t, at, "join");
            free_join = free_join || is(t, at, "cross") || is(t, at, "natural");
            if (table) {
                conditions += !free_join;
                free_join = false;
            }
            at++;
        } else if (is(t, at, "on") && !table) {
            size_t end = at + 1;
            while (end < to && !is(t, end, "join")) {
                for (const char *const *w = join_words; *w; w++)
                    word = word || is(t, end, *w);
                if (word)
                    break;
                end = past(t, end);
            }
            conditions--;
            say(t, " ON");
            say_condition(t, at + 1, end);
            at = end;
        } else if (is(t, at, "using") && is(t, at + 1, "(") && !table) {
            conditions--;
            say(t, " USING (");
            for (size_t i = at + 2; i < t->close[at + 1]; i++)
                if (is(t, i, ","))
                    say(t, ",");
                else
                    say_name(t, i);
            say(t, ")");
            at = t->close[at + 1] + 1;
        } else if (table && is(t, at, "(")) {
            const size_t close = t->close[at];
            const bool query = is(t, at + 1, "select") || is(t, at + 1, "with");
            say(t, " (");
            if (query) {
                say_query(t, at + 1, close);
                check_twice(t, b, t->twice);
                add_source(t, t->queries_said);
            } else {
                say_tables(t, b, at + 1, close);
            }
            say(t, ")");
            at = close + 1;
            table = false;
        } else if (table) {
            say_table_name(t, &at, to);
            table = false;
        } else if (is_name(t, at) && !is_keyword(t, at) &&
                   may_be_named(t, at)) {
            if (is_name(t, at - 1) && at - 1 > from && !is(t, at - 2, ".") &&
                !is(t, at - 2, "join") && !is(t, at - 2, ","))
                refuse(t, 933, "");
            say(t, " ");
            say_name(t, at++);
        } else {
            refuse(t, 933, "");
        }
    }
    if (table)
        refuse(t, 903, "");
    if (conditions != 0)
        refuse(t, conditions > 0 ? 905 : 933, "");
}

void say_from(struct translator *t, const struct query_block *b) {
    t->from_sources = 0;
    check_using(t, b);
    say(t, " FROM");
    for (size_t from = b->from_from; from <= b->from_to;) {
        size_t comma = find(t, from, b->from_to, ",");
        if (from == comma)
            refuse(t, 903, "");
        if (from > b->from_from)
            // SQLite never reorders the two sides of a CROSS JOIN.
            say(t, t->ordered ? " CROSS JOIN" : ",");
        say_tables(t, b, from, comma);
        if (t->result->error)
            break;
        from = comma + 1;
    }
    show_types(t);
}
