// SPDX-License-Identifier: GPL-2.0-or-later
// Arithmetic and concatenation as calls of functions: SQLite's own operators
// would add to a date as to a zero, lose digits without a word, cut integers
// when dividing, and bind || more tightly than Oracle does.
#include "sql/source.h"

#include <string.h>

// What stands where a value could, and is none.
static bool is_keyword(const struct translator *t, size_t at) {
    static const char *const words[] = {
        "select",  "distinct",  "unique", "all",     "from",      "where",
        "and",     "or",        "not",    "between", "in",        "like",
        "is",      "when",      "then",   "else",    "end",       "having",
        "by",      "on",        "as",     "set",     "values",    "order",
        "group",   "asc",       "desc",   "exists",  "any",       "some",
        "escape",  "with",      "union",  "minus",   "intersect", "into",
        "over",    "partition", "join",   "left",    "right",     "inner",
        "outer",   "cross",     "full",   "using",   "nulls",     "default",
        "connect", "start",     "for",    "rows",    "range",     "fetch"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is(t, at, words[i]))
            return true;
    return false;
}

static bool is_sign(const struct translator *t, size_t at, size_t to) {
    return at < to && (is(t, at, "-") || is(t, at, "+"));
}

// 1: adds, 2: multiplies, 0: neither.
static int precedence(const struct translator *t, size_t at) {
    if (is(t, at, "+") || is(t, at, "-") || is(t, at, "||"))
        return 1;
    return is(t, at, "*") || is(t, at, "/") ? 2 : 0;
}

static size_t case_end(const struct translator *t, size_t at, size_t to) {
    unsigned depth = 0;
    for (; at < to; at = past(t, at)) {
        if (is(t, at, "case"))
            depth++;
        else if (is(t, at, "end") && --depth == 0)
            return at + 1;
    }
    return to;
}

// Where the value that starts at `at` ends; `at` when none starts there.
static size_t value_end(const struct translator *t, size_t at, size_t to) {
    const size_t start = at;
    while (is_sign(t, at, to))
        at++;
    if (at >= to || is_keyword(t, at))
        return start;
    if (is(t, at, "case"))
        return case_end(t, at, to);
    const struct token *token = &t->tokens[at];
    if (token->type == TOKEN_SIGN && !is(t, at, "("))
        return start;
    const bool name = token->type == TOKEN_WORD || token->type == TOKEN_QUOTED;
    if ((is(t, at, "date") || is(t, at, "timestamp")) && at + 1 < to &&
        t->tokens[at + 1].type == TOKEN_STRING)
        return at + 2;
    at = past(t, at);
    while (name && at < to && (is(t, at, ".") || is(t, at, "(")))
        at = is(t, at, ".") ? at + 2 : past(t, at);
    if (name && at + 1 < to && is(t, at, "over") && is(t, at + 1, "("))
        at = past(t, at + 1);
    return at < to ? at : to;
}

size_t arithmetic_end(const struct translator *t, size_t at, size_t to) {
    size_t end = value_end(t, at, to);
    bool any = end > at && is_sign(t, at, to);
    if (end == at)
        return at;
    while (end < to && precedence(t, end) > 0) {
        size_t next = value_end(t, end + 1, to);
        if (next == end + 1)
            return any ? end : at;
        end = next;
        any = true;
    }
    return any ? end : at;
}

static void say_value(struct translator *t, size_t from, size_t to) {
    bool negative = false, sign = false;
    for (; is_sign(t, from, to); from++) {
        negative ^= is(t, from, "-");
        sign = true;
    }
    if (!negative) {
        // A sign alone makes a number of a text, too.
        say(t, sign ? " ADD$(0," : "");
        say_tokens(t, from, to);
        say(t, sign ? ")" : "");
    } else if (to == from + 1 && t->tokens[from].type == TOKEN_NUMBER) {
        say(t, " -");
        say_number(t, from);
    } else {
        say(t, " SUBTRACT$(0,");
        say_tokens(t, from, to);
        say(t, ")");
    }
}

void say_arithmetic(struct translator *t, size_t from, size_t to) {
    // The last operator of the lowest precedence: it is carried out last.
    size_t last = to;
    int lowest = 3;
    for (size_t at = value_end(t, from, to); at < to;
         at = value_end(t, at + 1, to))
        if (precedence(t, at) <= lowest) {
            lowest = precedence(t, at);
            last = at;
        }
    if (last == to) {
        say_value(t, from, to);
        return;
    }
    say(t, is(t, last, "+")   ? " ADD$("
           : is(t, last, "-") ? " SUBTRACT$("
           : is(t, last, "*") ? " MULTIPLY$("
           : is(t, last, "/") ? " DIVIDE$("
                              : " CONCAT(");
    say_arithmetic(t, from, last);
    say(t, ",");
    say_arithmetic(t, last + 1, to);
    say(t, ")");
}
