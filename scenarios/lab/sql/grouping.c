// SPDX-License-Identifier: GPL-2.0-or-later
// What a select list may name where rows are grouped: SQLite would take any
// row's value for a column that is neither grouped by nor in an aggregate.
#include "sql/source.h"

static bool is_aggregate(const struct translator *t, size_t at) {
    static const char *const names[] = {"count", "sum",     "avg", "min",
                                        "max",   "listagg", NULL};
    for (const char *const *name = names; *name; name++)
        if (is(t, at, *name) && is(t, at + 1, "(") &&
            !is(t, t->close[at + 1] + 1, "over"))
            return at == 0 || !is(t, at - 1, ".");
    return false;
}

// Outside subqueries.
bool has_aggregate(const struct translator *t, size_t from, size_t to) {
    while (from < to) {
        if (is_aggregate(t, from))
            return true;
        if (is(t, from, "(") &&
            (is(t, from + 1, "select") || is(t, from + 1, "with")))
            from = t->close[from];
        from++;
    }
    return false;
}

void grouping_of(struct translator *t, size_t group_from, size_t group_to,
                 bool grouped) {
    t->grouping = grouped;
    t->group_from = group_from;
    t->group_to = group_to;
    t->covered = 0;
    t->aggregates = 0;
}

static bool same_token(const struct token *a, const struct token *b) {
    const bool names = (a->type == TOKEN_WORD || a->type == TOKEN_QUOTED) &&
                       (b->type == TOKEN_WORD || b->type == TOKEN_QUOTED);
    if (names)
        return equal_names(a, b);
    if (a->type != b->type || a->length != b->length)
        return false;
    for (size_t i = 0; i < a->length; i++)
        if (a->at[i] != b->at[i])
            return false;
    return true;
}

// Whether [from, to) is nothing but a name with points in it.
static bool is_dotted(const struct translator *t, size_t from, size_t to) {
    for (size_t i = from; i < to; i++)
        if ((i - from) % 2 == 0 ? !is_name(t, i) : !is(t, i, "."))
            return false;
    return to > from && (to - from) % 2 == 1;
}

// Remembers how far the tokens from `at` on are one of the groups' expressions.
void cover_group(struct translator *t, size_t at) {
    for (size_t from = t->group_from; t->grouping && from < t->group_to;) {
        size_t end = find(t, from, t->group_to, ","), i = 0;
        while (from + i < end && at + i < t->count &&
               same_token(&t->tokens[from + i], &t->tokens[at + i]))
            i++;
        const bool whole =
            from + i == end && !is(t, at + i, ".") && !is(t, at + i, "(");
        if (whole && at + i > t->covered)
            t->covered = at + i;
        from = end + 1;
    }
}

// Refuses the column whose name is [from, to) unless it may stand here.
void check_grouped(struct translator *t, size_t from, size_t to) {
    if (!t->grouping || t->aggregates > 0 || to <= t->covered)
        return;
    for (size_t at = t->group_from; at < t->group_to;) {
        size_t end = find(t, at, t->group_to, ",");
        if (is_dotted(t, at, end) &&
            equal_names(&t->tokens[end - 1], &t->tokens[to - 1]) &&
            (end - at == 1 || to - from == 1))
            return;
        at = end + 1;
    }
    refuse(t, t->group_from < t->group_to ? 979 : 937, "");
}

// Numbers are constants here, and no positions in the select list.
void say_group_by(struct translator *t, size_t from, size_t to) {
    say(t, " GROUP BY");
    for (size_t at = from; at <= to && !t->result->error;) {
        size_t end = find(t, at, to, ",");
        if (at > from)
            say(t, ",");
        if (is(t, at, "(") && t->close[at] + 1 == end &&
            find(t, at + 1, end - 1, ",") < end - 1)
            refuse(t, 3001, "composite GROUP BY");
        if (has_aggregate(t, at, end))
            refuse(t, 934, "");
        const bool constant = !is_name(t, at);
        say(t, constant ? " COALESCE(" : "");
        say_whole_value(t, at, end, 933);
        say(t, constant ? ",NULL)" : "");
        at = end + 1;
    }
}
