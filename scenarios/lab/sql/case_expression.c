// SPDX-License-Identifier: GPL-2.0-or-later
// CASE ... END, both the one that compares and the one with conditions.
#include <stdlib.h>

#include "sql/source.h"

static size_t case_end(const struct translator *t, size_t at, size_t to) {
    unsigned depth = 0;
    for (; at < to; at = past(t, at)) {
        if (is(t, at, "case"))
            depth++;
        else if (is(t, at, "end") && --depth == 0)
            return at;
    }
    return to;
}

// Where the next of the case's own words is, from `at` on.
static size_t next_word(const struct translator *t, size_t at, size_t to,
                        const char *word, const char *other) {
    unsigned depth = 0;
    for (; at < to; at = past(t, at)) {
        if (is(t, at, "case"))
            depth++;
        else if (is(t, at, "end") && depth > 0)
            depth--;
        else if (depth == 0 && (is(t, at, word) || is(t, at, other)))
            return at;
    }
    return to;
}

void take_type(struct translator *t, enum operand_type *type,
               enum operand_type more) {
    const enum operand_type before = *type;
    if (more == OPERAND_NULL)
        return;
    *type = common_type(t, before, more);
    const bool known = before != OPERAND_UNKNOWN && before != OPERAND_NULL &&
                       more != OPERAND_UNKNOWN;
    const bool text = (before == OPERAND_TEXT) != (more == OPERAND_TEXT);
    if (known && text)
        refuse(t, 932, "");
}

struct operand say_case(struct translator *t, size_t *at, size_t to) {
    struct operand said = {.from = t->length, .type = OPERAND_NULL};
    const size_t end = case_end(t, *at, to);
    size_t from = *at + 1;
    if (end == to) {
        refuse(t, 905, "");
        return said;
    }
    const size_t first = next_word(t, from, end, "when", "when");
    const bool compares = first > from;
    struct operand value = {0};
    char *text = NULL;
    say(t, " CASE");
    if (compares) { // it is said again with every WHEN
        value = say_whole_value(t, from, first, 905);
        text = said_text(t, value.from, t->length);
        t->length = text ? value.from : t->length;
    }
    from = first;
    if (from == end)
        refuse(t, 905, "");
    while (from < end && is(t, from, "when") && !t->result->error) {
        const size_t then = next_word(t, from + 1, end, "then", "then");
        const size_t next = next_word(t, then + 1, end, "when", "else");
        if (then == end) {
            refuse(t, 905, "");
            break;
        }
        say(t, " WHEN");
        if (compares) {
            struct operand left = value;
            left.from = t->length;
            say(t, text);
            join_by(t, left, say_whole_value(t, from + 1, then, 905), "=");
        } else {
            say_condition(t, from + 1, then);
        }
        say(t, " THEN");
        take_type(t, &said.type, say_whole_value(t, then + 1, next, 905).type);
        from = next;
    }
    free(text);
    if (from < end && is(t, from, "else")) {
        say(t, " ELSE");
        take_type(t, &said.type, say_whole_value(t, from + 1, end, 905).type);
    }
    say(t, " END");
    *at = end + 1;
    said.to = t->length;
    return said;
}
