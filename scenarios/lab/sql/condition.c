// SPDX-License-Identifier: GPL-2.0-or-later
// Conditions: what compares values, with NOT, AND, OR and EXISTS between.
#include "sql/source.h"

enum { DEEPEST = 100 };

// Whether a list of values is in the parentheses at `open`.
static bool is_list(const struct translator *t, size_t open) {
    const size_t close = t->close[open];
    return !is(t, open + 1, "select") && !is(t, open + 1, "with") &&
           find(t, open + 1, close, ",") < close;
}

static bool is_condition(const struct translator *t, size_t from, size_t to) {
    static const char *const words[] = {"and",     "or",     "not",  "is", "in",
                                        "between", "exists", "like", NULL};
    unsigned cases = 0;
    if (is(t, from, "select") || is(t, from, "with"))
        return false;
    if (is(t, from, "(") && t->close[from] + 1 == to)
        return is_condition(t, from + 1, to - 1);
    for (size_t at = from; at < to; at = past(t, at)) {
        if (is(t, at, "case"))
            cases++;
        else if (is(t, at, "end") && cases > 0)
            cases--;
        if (cases > 0)
            continue;
        if (sign_at(t, at))
            return true;
        for (const char *const *word = words; *word; word++)
            if (is(t, at, *word))
                return true;
    }
    return false;
}

static void say_any(struct translator *t, size_t *at, size_t to,
                    unsigned depth);

static void say_predicate(struct translator *t, size_t *at, size_t to,
                          unsigned depth) {
    if (*at >= to || depth == DEEPEST) {
        refuse(t, 936, "");
    } else if (is(t, *at, "not")) {
        ++*at;
        say(t, " NOT (");
        say_predicate(t, at, to, depth + 1);
        say(t, ")");
    } else if (is(t, *at, "exists") && is(t, *at + 1, "(")) {
        const size_t open = *at + 1;
        say(t, " EXISTS (");
        say_query(t, open + 1, t->close[open]);
        say(t, ")");
        *at = t->close[open] + 1;
    } else if (is(t, *at, "(") && is_condition(t, *at + 1, t->close[*at])) {
        const size_t close = t->close[*at];
        size_t inside = *at + 1;
        say(t, " (");
        say_any(t, &inside, close, depth + 1);
        say(t, ")");
        if (inside < close)
            refuse(t, 907, "");
        *at = close + 1;
    } else if (is(t, *at, "(") && is_list(t, *at)) {
        refuse(t, 3001, "conditions of lists of values");
    } else {
        struct operand x = say_value(t, at, to);
        say_comparison(t, x, at, to);
    }
}

// Predicates with AND and OR between them: both SQLs bind AND more tightly.
static void say_any(struct translator *t, size_t *at, size_t to,
                    unsigned depth) {
    say_predicate(t, at, to, depth);
    while (*at < to && !t->result->error &&
           (is(t, *at, "and") || is(t, *at, "or"))) {
        say(t, is(t, *at, "and") ? " AND" : " OR");
        ++*at;
        say_predicate(t, at, to, depth);
    }
}

void say_condition(struct translator *t, size_t from, size_t to) {
    size_t at = from;
    say_any(t, &at, to, 0);
    if (at < to)
        refuse(t, 933, "");
}
