// SPDX-License-Identifier: GPL-2.0-or-later
// Values and the operators between them. Operators become function calls:
// SQLite's own treat a date as zero, lose digits silently, truncate integer
// division, and bind || more tightly than Oracle.
#include "sql/source.h"

enum { DEEPEST = 200 };

// A value with the signs before it.
static struct operand emit_factor(struct translator *t, size_t *at, size_t to) {
    struct operand emitted = {.from = t->length};
    bool negative = false, sign = false;
    while (*at < to && (source_is(t, *at, "-") || source_is(t, *at, "+"))) {
        negative ^= source_is(t, *at, "-");
        sign = true;
        ++*at;
    }
    if (*at >= to || t->result->error) {
        source_refuse(t, 936, "");
        return emitted;
    }
    if (sign && t->tokens[*at].type == TOKEN_NUMBER) {
        emit_number(t, at, negative, &emitted);
    } else if (sign) {
        // A sign converts text to a number.
        emit_text(t, negative ? " SUBTRACT$(0," : " ADD$(0,");
        emit_primary(t, at, to, &emitted);
        emit_text(t, ")");
        if (!operand_is_binary_number(emitted.type))
            emitted.type = OPERAND_NUMBER;
        emitted.bind = 0;
        emitted.literal = false;
        emitted.object = 0;
    } else {
        emit_primary(t, at, to, &emitted);
    }
    if (*at + 2 <= to && source_is(t, *at, "(") && source_is(t, *at + 1, "+"))
        source_refuse(t, 3001, "(+)");
    if (source_is(t, *at, "at") && source_is(t, *at + 1, "time"))
        source_refuse(t, 3001, "AT TIME ZONE");
    emitted.to = t->length;
    return emitted;
}

// The type of a + b and the like.
static enum operand_type type_of(const struct translator *t, size_t sign,
                                 enum operand_type a, enum operand_type b) {
    const bool numeric =
        (a == OPERAND_SMALL || a == OPERAND_NUMBER || a == OPERAND_TEXT) &&
        (b == OPERAND_SMALL || b == OPERAND_NUMBER || b == OPERAND_TEXT);
    const bool dated = a >= OPERAND_DATE && a <= OPERAND_TIMESTAMP_TZ;
    const bool number = b == OPERAND_SMALL || b == OPERAND_NUMBER;
    if (source_is(t, sign, "||"))
        return OPERAND_TEXT;
    if (a == OPERAND_BINARY_DOUBLE || b == OPERAND_BINARY_DOUBLE)
        return OPERAND_BINARY_DOUBLE;
    if (a == OPERAND_BINARY_FLOAT || b == OPERAND_BINARY_FLOAT)
        return a == OPERAND_UNKNOWN || b == OPERAND_UNKNOWN
                   ? OPERAND_UNKNOWN
                   : OPERAND_BINARY_FLOAT;
    if (numeric || source_is(t, sign, "*") || source_is(t, sign, "/"))
        return OPERAND_NUMBER;
    if (dated && number)
        return OPERAND_DATE;
    if (a == OPERAND_DATE && b == OPERAND_DATE)
        return OPERAND_NUMBER;
    return OPERAND_UNKNOWN;
}

static bool is_operator(const struct translator *t, size_t at, size_t to,
                        unsigned level) {
    if (at >= to)
        return false;
    return level == 2 ? source_is(t, at, "*") || source_is(t, at, "/")
                      : source_is(t, at, "+") || source_is(t, at, "-") ||
                            source_is(t, at, "||");
}

// Operands joined by operators of one precedence: 2 multiplicative, 1 additive.
static struct operand emit_chain(struct translator *t, size_t *at, size_t to,
                                 unsigned level) {
    struct operand left =
        level == 2 ? emit_factor(t, at, to) : emit_chain(t, at, to, 2);
    while (is_operator(t, *at, to, level) && !t->result->error) {
        const size_t sign = (*at)++;
        emit_text(t, ",");
        struct operand right =
            level == 2 ? emit_factor(t, at, to) : emit_chain(t, at, to, 2);
        emit_at(t, left.from,
                source_is(t, sign, "+")   ? " ADD$("
                : source_is(t, sign, "-") ? " SUBTRACT$("
                : source_is(t, sign, "*") ? " MULTIPLY$("
                : source_is(t, sign, "/") ? " DIVIDE$("
                                          : " CONCAT(");
        emit_text(t, ")");
        left.type = type_of(t, sign, left.type, right.type);
        left.bind = 0;
        left.literal = false;
        left.object = 0;
        left.to = t->length;
    }
    return left;
}

struct operand emit_value(struct translator *t, size_t *at, size_t to) {
    struct operand emitted = {.from = t->length};
    if (t->depth == DEEPEST) {
        source_refuse(t, 913, "");
        return emitted;
    }
    t->depth++;
    grouping_cover(t, *at);
    emitted = emit_chain(t, at, to, 1);
    t->depth--;
    return emitted;
}

struct operand emit_whole_value(struct translator *t, size_t from, size_t to,
                                unsigned error) {
    size_t at = from;
    struct operand emitted = emit_value(t, &at, to);
    if (at < to)
        source_refuse(t, error, "");
    return emitted;
}
