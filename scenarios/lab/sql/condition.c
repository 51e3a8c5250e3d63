// SPDX-License-Identifier: GPL-2.0-or-later
// Conditions: comparisons combined by NOT, AND, OR and EXISTS.
#include "sql/source.h"

enum { DEEPEST = 100 };

// Whether the parentheses at `open` contain a list of values.
static bool is_list(const struct translator *t, size_t open) {
    const size_t close = t->close[open];
    return !source_is(t, open + 1, "select") &&
           !source_is(t, open + 1, "with") &&
           source_find(t, open + 1, close, ",") < close;
}

static bool is_condition(const struct translator *t, size_t from, size_t to) {
    static const char *const words[] = {"and",     "or",     "not",  "is", "in",
                                        "between", "exists", "like", NULL};
    unsigned cases = 0;
    if (source_is(t, from, "select") || source_is(t, from, "with"))
        return false;
    if (source_is(t, from, "(") && t->close[from] + 1 == to)
        return is_condition(t, from + 1, to - 1);
    for (size_t at = from; at < to; at = source_after(t, at)) {
        if (source_is(t, at, "case"))
            cases++;
        else if (source_is(t, at, "end") && cases > 0)
            cases--;
        if (cases > 0)
            continue;
        if (comparison_at(t, at))
            return true;
        for (const char *const *word = words; *word; word++)
            if (source_is(t, at, *word))
                return true;
    }
    return false;
}

static void emit_any(struct translator *t, size_t *at, size_t to,
                     unsigned depth);

static void emit_predicate(struct translator *t, size_t *at, size_t to,
                           unsigned depth) {
    if (*at >= to || depth == DEEPEST) {
        source_refuse(t, 936, "");
    } else if (source_is(t, *at, "not")) {
        ++*at;
        emit_text(t, " NOT (");
        emit_predicate(t, at, to, depth + 1);
        emit_text(t, ")");
    } else if (source_is(t, *at, "exists") && source_is(t, *at + 1, "(")) {
        const size_t open = *at + 1;
        emit_text(t, " EXISTS (");
        emit_query(t, open + 1, t->close[open]);
        emit_text(t, ")");
        *at = t->close[open] + 1;
    } else if (source_is(t, *at, "(") &&
               is_condition(t, *at + 1, t->close[*at])) {
        const size_t close = t->close[*at];
        size_t inside = *at + 1;
        emit_text(t, " (");
        emit_any(t, &inside, close, depth + 1);
        emit_text(t, ")");
        if (inside < close)
            source_refuse(t, 907, "");
        *at = close + 1;
    } else if (source_is(t, *at, "(") && is_list(t, *at)) {
        source_refuse(t, 3001, "conditions of lists of values");
    } else {
        struct operand x = emit_value(t, at, to);
        emit_comparison(t, x, at, to);
    }
}

// Predicates combined by AND and OR, whose precedence is the same in SQLite.
static void emit_any(struct translator *t, size_t *at, size_t to,
                     unsigned depth) {
    emit_predicate(t, at, to, depth);
    while (*at < to && !t->result->error &&
           (source_is(t, *at, "and") || source_is(t, *at, "or"))) {
        emit_text(t, source_is(t, *at, "and") ? " AND" : " OR");
        ++*at;
        emit_predicate(t, at, to, depth);
    }
}

void emit_condition(struct translator *t, size_t from, size_t to) {
    size_t at = from;
    emit_any(t, &at, to, 0);
    if (at < to)
        source_refuse(t, 933, "");
}
