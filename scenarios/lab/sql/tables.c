// SPDX-License-Identifier: GPL-2.0-or-later
// What comes after FROM.
#include "sql/query_block.h"

// A column name that a subquery in FROM returns twice must not be used outside
// it.
static void check_twice(struct translator *t, const struct query_block *b,
                        size_t name) {
    for (size_t at = b->list_from; name && at < b->rest_to; at++) {
        if (at == b->from_from)
            at = b->from_to;
        const bool star = source_is(t, at, "*") && at < b->list_to &&
                          (at == b->list_from || source_is(t, at - 1, ",") ||
                           source_is(t, at - 1, "."));
        if (star || (source_is_name(t, at) && at < b->rest_to &&
                     name_equals(&t->tokens[at], &t->tokens[name])))
            source_refuse(t, 918, "");
    }
}

// A table, a subquery, or several with joins between them.
static void emit_tables(struct translator *t, const struct query_block *b,
                        size_t from, size_t to) {
    static const char *const join_words[] = {
        "inner", "left", "right", "full", "outer", "cross", "natural", NULL};
    bool table = true;      // a table is expected
    int conditions = 0;     // joins that still need their ON or USING
    bool free_join = false; // the next join is CROSS or NATURAL
    for (size_t at = from; at < to && !t->result->error;) {
        bool word = false;
        for (const char *const *w = join_words; *w; w++)
            word = word || source_is(t, at, *w);
        if (source_is(t, at, "join") || word) {
            emit_text(t, " ");
            emit_bytes(t, t->tokens[at].at, t->tokens[at].length);
            table = source_is(t, at, "join");
            free_join = free_join || source_is(t, at, "cross") ||
                        source_is(t, at, "natural");
            if (table) {
                conditions += !free_join;
                free_join = false;
            }
            at++;
        } else if (source_is(t, at, "on") && !table) {
            size_t end = at + 1;
            while (end < to && !source_is(t, end, "join")) {
                for (const char *const *w = join_words; *w; w++)
                    word = word || source_is(t, end, *w);
                if (word)
                    break;
                end = source_after(t, end);
            }
            conditions--;
            emit_text(t, " ON");
            emit_condition(t, at + 1, end);
            at = end;
        } else if (source_is(t, at, "using") && source_is(t, at + 1, "(") &&
                   !table) {
            conditions--;
            emit_text(t, " USING (");
            for (size_t i = at + 2; i < t->close[at + 1]; i++)
                if (source_is(t, i, ","))
                    emit_text(t, ",");
                else
                    emit_name(t, i);
            emit_text(t, ")");
            at = t->close[at + 1] + 1;
        } else if (table && source_is(t, at, "(")) {
            const size_t close = t->close[at];
            const bool query =
                source_is(t, at + 1, "select") || source_is(t, at + 1, "with");
            emit_text(t, " (");
            if (query) {
                emit_query(t, at + 1, close);
                check_twice(t, b, t->twice);
                outputs_add_source(t, t->queries_emitted);
            } else {
                emit_tables(t, b, at + 1, close);
            }
            emit_text(t, ")");
            at = close + 1;
            table = false;
        } else if (table) {
            emit_table_name(t, &at, to);
            table = false;
        } else if (source_is_name(t, at) && !source_is_keyword(t, at) &&
                   source_may_name(t, at)) {
            if (source_is_name(t, at - 1) && at - 1 > from &&
                !source_is(t, at - 2, ".") && !source_is(t, at - 2, "@") &&
                !source_is(t, at - 2, "join") && !source_is(t, at - 2, ","))
                source_refuse(t, 933, "");
            emit_text(t, " ");
            emit_name(t, at++);
        } else {
            source_refuse(t, 933, "");
        }
    }
    if (table)
        source_refuse(t, 903, "");
    if (conditions != 0)
        source_refuse(t, conditions > 0 ? 905 : 933, "");
}

void emit_from(struct translator *t, const struct query_block *b) {
    t->from_sources = 0;
    join_using_check(t, b);
    emit_text(t, " FROM");
    for (size_t from = b->from_from; from <= b->from_to;) {
        size_t comma = source_find(t, from, b->from_to, ",");
        if (from == comma)
            source_refuse(t, 903, "");
        if (from > b->from_from)
            // SQLite never reorders the two sides of a CROSS JOIN.
            emit_text(t, t->ordered ? " CROSS JOIN" : ",");
        emit_tables(t, b, from, comma);
        if (t->result->error)
            break;
        from = comma + 1;
    }
    outputs_resolve_types(t);
}
