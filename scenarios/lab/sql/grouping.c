// SPDX-License-Identifier: GPL-2.0-or-later
// Which columns a grouped query may name: SQLite would take any row's value for
// a column that is neither grouped by nor aggregated.
#include "sql/source.h"

static bool is_aggregate(const struct translator *t, size_t at) {
    static const char *const names[] = {"count", "sum",     "avg", "min",
                                        "max",   "listagg", NULL};
    for (const char *const *name = names; *name; name++)
        if (source_is(t, at, *name) && source_is(t, at + 1, "(") &&
            !source_is(t, t->close[at + 1] + 1, "over"))
            return at == 0 || !source_is(t, at - 1, ".");
    return false;
}

// Subqueries are skipped.
bool grouping_has_aggregate(const struct translator *t, size_t from,
                            size_t to) {
    while (from < to) {
        if (is_aggregate(t, from))
            return true;
        if (source_is(t, from, "(") && (source_is(t, from + 1, "select") ||
                                        source_is(t, from + 1, "with")))
            from = t->close[from];
        from++;
    }
    return false;
}

void grouping_begin(struct translator *t, size_t group_from, size_t group_to,
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
        return name_equals(a, b);
    if (a->type != b->type || a->length != b->length)
        return false;
    for (size_t i = 0; i < a->length; i++)
        if (a->at[i] != b->at[i])
            return false;
    return true;
}

// Whether [from, to) is just a possibly qualified name.
static bool is_dotted(const struct translator *t, size_t from, size_t to) {
    for (size_t i = from; i < to; i++)
        if ((i - from) % 2 == 0 ? !source_is_name(t, i) : !source_is(t, i, "."))
            return false;
    return to > from && (to - from) % 2 == 1;
}

// Notes up to which token the expression at `at` equals a GROUP BY expression.
void grouping_cover(struct translator *t, size_t at) {
    for (size_t from = t->group_from; t->grouping && from < t->group_to;) {
        size_t end = source_find(t, from, t->group_to, ","), i = 0;
        while (from + i < end && at + i < t->count &&
               same_token(&t->tokens[from + i], &t->tokens[at + i]))
            i++;
        const bool whole = from + i == end && !source_is(t, at + i, ".") &&
                           !source_is(t, at + i, "(");
        if (whole && at + i > t->covered)
            t->covered = at + i;
        from = end + 1;
    }
}

// Refuses the column named by [from, to) unless it is allowed here.
void grouping_check(struct translator *t, size_t from, size_t to) {
    if (!t->grouping || t->aggregates > 0 || to <= t->covered)
        return;
    for (size_t at = t->group_from; at < t->group_to;) {
        size_t end = source_find(t, at, t->group_to, ",");
        if (is_dotted(t, at, end) &&
            name_equals(&t->tokens[end - 1], &t->tokens[to - 1]) &&
            (end - at == 1 || to - from == 1))
            return;
        at = end + 1;
    }
    source_refuse(t, t->group_from < t->group_to ? 979 : 937, "");
}

// Numbers are constants here, not positions in the select list.
void emit_group_by(struct translator *t, size_t from, size_t to) {
    emit_text(t, " GROUP BY");
    for (size_t at = from; at <= to && !t->result->error;) {
        size_t end = source_find(t, at, to, ",");
        if (at > from)
            emit_text(t, ",");
        if (source_is(t, at, "(") && t->close[at] + 1 == end &&
            source_find(t, at + 1, end - 1, ",") < end - 1)
            source_refuse(t, 3001, "composite GROUP BY");
        if (grouping_has_aggregate(t, at, end))
            source_refuse(t, 934, "");
        const bool constant = !source_is_name(t, at);
        emit_text(t, constant ? " COALESCE(" : "");
        if (operand_is_lob(emit_whole_value(t, at, end, 933).type))
            source_refuse(t, 932, "GROUP BY a LOB");
        emit_text(t, constant ? ",NULL)" : "");
        at = end + 1;
    }
}
