// SPDX-License-Identifier: GPL-2.0-or-later
// Values, and the operators between them. Operators become calls of functions:
// SQLite's own would add to a date as to a zero, lose digits without a word,
// cut integers when dividing, and bind || more tightly than Oracle does.
#include "sql/source.h"

enum { DEEPEST = 200 };

// A value with the signs before it.
static struct operand say_factor(struct translator *t, size_t *at, size_t to) {
    struct operand said = {.from = t->length};
    bool negative = false, sign = false;
    while (*at < to && (is(t, *at, "-") || is(t, *at, "+"))) {
        negative ^= is(t, *at, "-");
        sign = true;
        ++*at;
    }
    if (*at >= to || t->result->error) {
        refuse(t, 936, "");
        return said;
    }
    if (sign && t->tokens[*at].type == TOKEN_NUMBER) {
        say_number(t, (*at)++, negative, &said);
    } else if (sign) {
        // A sign alone makes a number of a text, too.
        say(t, negative ? " SUBTRACT$(0," : " ADD$(0,");
        say_primary(t, at, to, &said);
        say(t, ")");
        said.type = OPERAND_NUMBER;
        said.bind = 0;
        said.literal = false;
    } else {
        say_primary(t, at, to, &said);
    }
    if (*at + 2 <= to && is(t, *at, "(") && is(t, *at + 1, "+"))
        refuse(t, 3001, "(+)");
    if (is(t, *at, "at") && is(t, *at + 1, "time"))
        refuse(t, 3001, "AT TIME ZONE");
    said.to = t->length;
    return said;
}

// The type of a + b and the like.
static enum operand_type type_of(const struct translator *t, size_t sign,
                                 enum operand_type a, enum operand_type b) {
    const bool numeric =
        (a == OPERAND_SMALL || a == OPERAND_NUMBER || a == OPERAND_TEXT) &&
        (b == OPERAND_SMALL || b == OPERAND_NUMBER || b == OPERAND_TEXT);
    const bool dated = a >= OPERAND_DATE && a <= OPERAND_TIMESTAMP_TZ;
    const bool number = b == OPERAND_SMALL || b == OPERAND_NUMBER;
    if (is(t, sign, "||"))
        return OPERAND_TEXT;
    if (numeric || is(t, sign, "*") || is(t, sign, "/"))
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
    return level == 2 ? is(t, at, "*") || is(t, at, "/")
                      : is(t, at, "+") || is(t, at, "-") || is(t, at, "||");
}

// Operands with the operators of one level between them: 2 multiplies, 1 adds.
static struct operand say_chain(struct translator *t, size_t *at, size_t to,
                                unsigned level) {
    struct operand left =
        level == 2 ? say_factor(t, at, to) : say_chain(t, at, to, 2);
    while (is_operator(t, *at, to, level) && !t->result->error) {
        const size_t sign = (*at)++;
        say(t, ",");
        struct operand right =
            level == 2 ? say_factor(t, at, to) : say_chain(t, at, to, 2);
        insert(t, left.from,
               is(t, sign, "+")   ? " ADD$("
               : is(t, sign, "-") ? " SUBTRACT$("
               : is(t, sign, "*") ? " MULTIPLY$("
               : is(t, sign, "/") ? " DIVIDE$("
                                  : " CONCAT(");
        say(t, ")");
        left.type = type_of(t, sign, left.type, right.type);
        left.bind = 0;
        left.literal = false;
        left.to = t->length;
    }
    return left;
}

struct operand say_value(struct translator *t, size_t *at, size_t to) {
    struct operand said = {.from = t->length};
    if (t->depth == DEEPEST) {
        refuse(t, 913, "");
        return said;
    }
    t->depth++;
    cover_group(t, *at);
    said = say_chain(t, at, to, 1);
    t->depth--;
    return said;
}

struct operand say_whole_value(struct translator *t, size_t from, size_t to,
                               unsigned error) {
    size_t at = from;
    struct operand said = say_value(t, &at, to);
    if (at < to)
        refuse(t, error, "");
    return said;
}
