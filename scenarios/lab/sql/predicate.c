// SPDX-License-Identifier: GPL-2.0-or-later
// Comparisons: = and the like, BETWEEN, IN, LIKE, IS NULL. SQLite compares text
// with numbers, DATE with TIMESTAMP and long numbers in its own way. Unless
// both sides are known to have one type that both systems order alike, a
// function compares them.
#include <stdlib.h>
#include <string.h>

#include "sql/source.h"

enum { NO_OPERATOR = 920 };

bool operand_orders_natively(enum operand_type type) {
    return type == OPERAND_SMALL || type == OPERAND_TEXT ||
           type == OPERAND_DATE || type == OPERAND_TIMESTAMP ||
           type == OPERAND_RAW || type == OPERAND_NULL ||
           type == OPERAND_ROWID || operand_is_binary_number(type);
}

bool operand_is_lob(enum operand_type type) {
    return type == OPERAND_CLOB || type == OPERAND_BLOB;
}

bool operand_is_binary_number(enum operand_type type) {
    return type == OPERAND_BINARY_FLOAT || type == OPERAND_BINARY_DOUBLE;
}

static bool is_number(enum operand_type type) {
    return type == OPERAND_SMALL || type == OPERAND_NUMBER;
}

static bool is_time(enum operand_type type) {
    return type == OPERAND_DATE || type == OPERAND_TIMESTAMP ||
           type == OPERAND_TIMESTAMP_TZ;
}

enum operand_type operand_common_type(struct translator *t, enum operand_type a,
                                      enum operand_type b) {
    if (a == OPERAND_NULL || b == OPERAND_NULL)
        return a == OPERAND_NULL ? b : a;
    if (is_number(a) && is_number(b))
        return a == b ? a : OPERAND_NUMBER;
    if ((is_number(a) && is_time(b)) || (is_time(a) && is_number(b)))
        source_refuse(t, 932, "");
    return a == b ? a : OPERAND_UNKNOWN;
}

void operand_expect(struct translator *t, struct operand *value,
                    enum operand_type type) {
    if (value->bind == 0 || value->type != OPERAND_UNKNOWN)
        return;
    t->result->bind[value->bind - 1].expected = (uint8_t)type;
    value->type = type;
}

// Whether SQLite's operators may compare these two.
static bool comparable(struct translator *t, struct operand *a,
                       struct operand *b, bool for_equality) {
    operand_expect(t, a, b->type);
    operand_expect(t, b, a->type);
    if (operand_is_lob(a->type) || operand_is_lob(b->type))
        source_refuse(t, 932, "a LOB cannot be compared");
    if (a->type == OPERAND_NULL || b->type == OPERAND_NULL)
        return true;
    if (a->literal && b->literal && (a->padded || b->padded))
        source_refuse(t, 3001, "comparing literals with blanks at their ends");
    enum operand_type type = operand_common_type(t, a->type, b->type);
    // Each number has a single form, so equal numbers are equal to SQLite.
    return operand_orders_natively(type) ||
           (for_equality && type == OPERAND_NUMBER);
}

void emit_operator_between(struct translator *t, struct operand a,
                           struct operand b, const char *sign) {
    const bool equality = strcmp(sign, "=") == 0 || strcmp(sign, "<>") == 0;
    // Two tables have no ROWID in common.
    const bool joined = a.object && b.object && a.object != b.object;
    if (strcmp(sign, "=") == 0 && (a.object || b.object) && !joined) {
        emit_row_equals(t, a.object ? a : b, a.object ? b : a);
        return;
    }
    if (comparable(t, &a, &b, equality)) {
        // before the space that each value starts with
        emit_at(t, b.from, sign);
        emit_at(t, b.from, " ");
        return;
    }
    emit_at(t, b.from, ",");
    emit_at(t, a.from, " COMPARE$(");
    emit_text(t, ") ");
    emit_text(t, sign);
    emit_text(t, " 0");
}

const char *comparison_at(const struct translator *t, size_t at) {
    static const char *const signs[] = {"=", "<>", "<=", ">=", "<", ">"};
    if (source_is(t, at, "!=") || source_is(t, at, "^="))
        return "<>";
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (source_is(t, at, signs[i]))
            return signs[i];
    return NULL;
}

char *emitted_copy(struct translator *t, size_t from, size_t to) {
    char *text = t->result->error ? NULL : malloc(to - from + 1);
    if (!text) {
        source_refuse(t, 4030, "");
        return NULL;
    }
    memcpy(text, t->text + from, to - from); // a literal may hold zero bytes
    text[to - from] = '\0';
    return text;
}

// x BETWEEN low AND high
static void emit_between(struct translator *t, struct operand x, size_t *at,
                         size_t to) {
    char *text = emitted_copy(t, x.from, t->length);
    const size_t begin = x.from;
    struct operand again = x, low = emit_value(t, at, to);
    operand_expect(t, &again, low.type);
    emit_operator_between(t, x, low, ">=");
    if (!text || !source_is(t, *at, "and") || *at >= to) {
        source_refuse(t, 905, "");
        free(text);
        return;
    }
    ++*at;
    emit_text(t, " AND");
    again.from = t->length;
    emit_text(t, text);
    free(text);
    struct operand high = emit_value(t, at, to);
    emit_operator_between(t, again, high, "<=");
    emit_at(t, begin, " (");
    emit_text(t, ")");
}

// x = a OR x = b ...; the values were emitted to [value[i].from, value[i].to).
static void emit_any_of(struct translator *t, struct operand x,
                        struct operand *value, unsigned count) {
    char *all = emitted_copy(t, x.from, t->length);
    const size_t begin = x.from;
    if (!all)
        return;
    t->length = begin;
    for (unsigned i = 0; i < count; i++) {
        struct operand left = x;
        emit_text(t, i == 0 ? " (" : " OR ");
        left.from = t->length;
        emit_bytes(t, all, x.to - begin);
        const size_t from = value[i].from - begin;
        value[i].to -= begin;
        struct operand right = value[i];
        right.from = t->length;
        emit_bytes(t, all + from, value[i].to - from);
        emit_operator_between(t, left, right, "=");
    }
    emit_text(t, ")");
    free(all);
}

static void emit_in_list(struct translator *t, struct operand x, size_t open) {
    enum { MOST = 1000 };
    const size_t close = t->close[open];
    struct operand *value = calloc(MOST, sizeof *value);
    unsigned count = 0;
    bool native = true;
    x.to = t->length;
    for (size_t from = open + 1; from <= close && value; from++) {
        size_t end = source_find(t, from, close, ",");
        if (count == MOST || t->result->error) {
            source_refuse(t, 1795, "");
            break;
        }
        if (count > 0)
            emit_text(t, ",");
        value[count] = emit_whole_value(t, from, end, 907);
        value[count].to = t->length;
        native = comparable(t, &x, &value[count], true) && native;
        count++;
        from = end;
    }
    if (!value) {
        source_refuse(t, 4030, "");
    } else if (native) {
        emit_at(t, x.to, " IN (");
        emit_text(t, ")");
    } else {
        emit_any_of(t, x, value, count);
    }
    free(value);
}

static void emit_in(struct translator *t, struct operand x, size_t *at) {
    const size_t open = *at;
    if (!source_is(t, open, "(")) {
        source_refuse(t, 3001, "IN without parentheses");
        return;
    }
    *at = t->close[open] + 1;
    if (!source_is(t, open + 1, "select") && !source_is(t, open + 1, "with")) {
        emit_in_list(t, x, open);
        return;
    }
    emit_text(t, " IN (");
    struct operand rows = {.type = emit_query(t, open + 1, t->close[open])};
    if (t->result->columns > 1)
        source_refuse(t, 913, "");
    emit_text(t, ")");
    if (!comparable(t, &x, &rows, true))
        source_refuse(t, 3001, "IN with types that are not the same");
}

static void emit_as_text(struct translator *t, const struct operand *value) {
    if (value->type == OPERAND_TEXT)
        return;
    emit_at(t, value->from, " TEXT$(");
    emit_text(t, ")");
}

static void emit_like(struct translator *t, struct operand x, size_t *at,
                      size_t to) {
    emit_as_text(t, &x);
    emit_text(t, " LIKE");
    struct operand pattern = emit_value(t, at, to);
    emit_as_text(t, &pattern);
    if (*at < to && source_is(t, *at, "escape")) {
        ++*at;
        emit_text(t, " ESCAPE");
        emit_value(t, at, to);
    }
}

// The operator and the right side, after the first value of a condition.
void emit_comparison(struct translator *t, struct operand x, size_t *at,
                     size_t to) {
    const bool negated = *at < to && source_is(t, *at, "not");
    const size_t word = *at + negated;
    const size_t begin = x.from;
    const char *sign = *at < to ? comparison_at(t, *at) : NULL;
    *at = word + 1;
    x.to = t->length;
    if (word >= to) {
        source_refuse(t, NO_OPERATOR, "");
    } else if (sign && !negated) {
        if (*at < to && (source_is(t, *at, "any") ||
                         source_is(t, *at, "some") || source_is(t, *at, "all")))
            source_refuse(t, 3001, "ANY and ALL");
        struct operand right = emit_value(t, at, to);
        emit_operator_between(t, x, right, sign);
    } else if (source_is(t, word, "is") && !negated) {
        const bool not_null = source_is(t, *at, "not");
        *at += not_null;
        if (*at >= to || !source_is(t, *at, "null"))
            source_refuse(t, 908, "");
        ++*at;
        emit_text(t, not_null ? " IS NOT NULL" : " IS NULL");
    } else if (source_is(t, word, "between")) {
        emit_between(t, x, at, to);
    } else if (source_is(t, word, "in")) {
        emit_in(t, x, at);
    } else if (source_is(t, word, "like")) {
        emit_like(t, x, at, to);
    } else {
        source_refuse(t, NO_OPERATOR, "");
    }
    if (negated) {
        emit_at(t, begin, " NOT (");
        emit_text(t, ")");
    }
}
