// SPDX-License-Identifier: GPL-2.0-or-later
// CASE ... END: the simple form, which compares, and the searched form.
#include <stdlib.h>

#include "sql/source.h"

static size_t case_end(const struct translator *t, size_t at, size_t to) {
    unsigned depth = 0;
    for (; at < to; at = source_after(t, at)) {
        if (source_is(t, at, "case"))
            depth++;
        else if (source_is(t, at, "end") && --depth == 0)
            return at;
    }
    return to;
}

// The next keyword at or after `at` that belongs to this CASE itself.
static size_t next_word(const struct translator *t, size_t at, size_t to,
                        const char *word, const char *other) {
    unsigned depth = 0;
    for (; at < to; at = source_after(t, at)) {
        if (source_is(t, at, "case"))
            depth++;
        else if (source_is(t, at, "end") && depth > 0)
            depth--;
        else if (depth == 0 &&
                 (source_is(t, at, word) || source_is(t, at, other)))
            return at;
    }
    return to;
}

void operand_merge_type(struct translator *t, enum operand_type *type,
                        enum operand_type more) {
    const enum operand_type before = *type;
    if (more == OPERAND_NULL)
        return;
    *type = operand_common_type(t, before, more);
    const bool known = before != OPERAND_UNKNOWN && before != OPERAND_NULL &&
                       more != OPERAND_UNKNOWN;
    const bool text = (before == OPERAND_TEXT) != (more == OPERAND_TEXT);
    if (known && text)
        source_refuse(t, 932, "");
    // Oracle converts all of them to the widest.
    if (known && before != more &&
        (operand_is_binary_number(before) || operand_is_binary_number(more)))
        source_refuse(t, 3001, "numbers of several types");
}

struct operand emit_case(struct translator *t, size_t *at, size_t to) {
    struct operand emitted = {.from = t->length, .type = OPERAND_NULL};
    const size_t end = case_end(t, *at, to);
    size_t from = *at + 1;
    if (end == to) {
        source_refuse(t, 905, "");
        return emitted;
    }
    const size_t first = next_word(t, from, end, "when", "when");
    const bool compares = first > from;
    struct operand value = {0};
    char *text = NULL;
    emit_text(t, " CASE");
    if (compares) { // the operand is repeated in every WHEN
        value = emit_whole_value(t, from, first, 905);
        text = emitted_copy(t, value.from, t->length);
        t->length = text ? value.from : t->length;
    }
    from = first;
    if (from == end)
        source_refuse(t, 905, "");
    while (from < end && source_is(t, from, "when") && !t->result->error) {
        const size_t then = next_word(t, from + 1, end, "then", "then");
        const size_t next = next_word(t, then + 1, end, "when", "else");
        if (then == end) {
            source_refuse(t, 905, "");
            break;
        }
        emit_text(t, " WHEN");
        if (compares) {
            struct operand left = value;
            left.from = t->length;
            emit_text(t, text);
            emit_operator_between(
                t, left, emit_whole_value(t, from + 1, then, 905), "=");
        } else {
            emit_condition(t, from + 1, then);
        }
        emit_text(t, " THEN");
        operand_merge_type(t, &emitted.type,
                           emit_whole_value(t, then + 1, next, 905).type);
        from = next;
    }
    free(text);
    if (from < end && source_is(t, from, "else")) {
        emit_text(t, " ELSE");
        operand_merge_type(t, &emitted.type,
                           emit_whole_value(t, from + 1, end, 905).type);
    }
    emit_text(t, " END");
    *at = end + 1;
    emitted.to = t->length;
    return emitted;
}
