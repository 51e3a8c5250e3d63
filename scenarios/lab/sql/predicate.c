// SPDX-License-Identifier: GPL-2.0-or-later
// What compares values: = and its like, BETWEEN, IN, LIKE, IS NULL. SQLite
// compares a text with a number, a DATE with a TIMESTAMP and numbers of many
// digits in ways of its own; where the two sides are not known to be of one
// type that both order alike, a function compares them.
#include <stdlib.h>
#include <string.h>

#include "sql/source.h"

enum { NO_OPERATOR = 920 };

bool orders_itself(enum operand_type type) {
    return type == OPERAND_SMALL || type == OPERAND_TEXT ||
           type == OPERAND_DATE || type == OPERAND_TIMESTAMP ||
           type == OPERAND_RAW || type == OPERAND_NULL;
}

static bool is_number(enum operand_type type) {
    return type == OPERAND_SMALL || type == OPERAND_NUMBER;
}

static bool is_time(enum operand_type type) {
    return type == OPERAND_DATE || type == OPERAND_TIMESTAMP ||
           type == OPERAND_TIMESTAMP_TZ;
}

enum operand_type common_type(struct translator *t, enum operand_type a,
                              enum operand_type b) {
    if (a == OPERAND_NULL || b == OPERAND_NULL)
        return a == OPERAND_NULL ? b : a;
    if (is_number(a) && is_number(b))
        return a == b ? a : OPERAND_NUMBER;
    if ((is_number(a) && is_time(b)) || (is_time(a) && is_number(b)))
        refuse(t, 932, "");
    return a == b ? a : OPERAND_UNKNOWN;
}

void expect(struct translator *t, struct operand *value,
            enum operand_type type) {
    if (value->bind == 0 || value->type != OPERAND_UNKNOWN)
        return;
    t->result->expected[value->bind - 1] = (uint8_t)type;
    value->type = type;
}

// Whether SQLite's operators may compare these two.
static bool comparable(struct translator *t, struct operand *a,
                       struct operand *b, bool for_equality) {
    expect(t, a, b->type);
    expect(t, b, a->type);
    if (a->type == OPERAND_NULL || b->type == OPERAND_NULL)
        return true;
    if (a->literal && b->literal && (a->padded || b->padded))
        refuse(t, 3001, "comparing literals with blanks at their ends");
    enum operand_type type = common_type(t, a->type, b->type);
    // Numbers have one form only, so that equal ones are equal to SQLite.
    return orders_itself(type) || (for_equality && type == OPERAND_NUMBER);
}

void join_by(struct translator *t, struct operand a, struct operand b,
             const char *sign) {
    const bool equality = strcmp(sign, "=") == 0 || strcmp(sign, "<>") == 0;
    if (comparable(t, &a, &b, equality)) {
        insert(t, b.from, sign); // before the space that begins a value
        insert(t, b.from, " ");
        return;
    }
    insert(t, b.from, ",");
    insert(t, a.from, " COMPARE$(");
    say(t, ") ");
    say(t, sign);
    say(t, " 0");
}

const char *sign_at(const struct translator *t, size_t at) {
    static const char *const signs[] = {"=", "<>", "<=", ">=", "<", ">"};
    if (is(t, at, "!=") || is(t, at, "^="))
        return "<>";
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (is(t, at, signs[i]))
            return signs[i];
    return NULL;
}

char *said_text(struct translator *t, size_t from, size_t to) {
    char *text = t->result->error ? NULL : strndup(t->text + from, to - from);
    if (!text)
        refuse(t, 4030, "");
    return text;
}

// x BETWEEN low AND high
static void say_between(struct translator *t, struct operand x, size_t *at,
                        size_t to) {
    char *text = said_text(t, x.from, t->length);
    const size_t begin = x.from;
    struct operand again = x, low = say_value(t, at, to);
    expect(t, &again, low.type);
    join_by(t, x, low, ">=");
    if (!text || !is(t, *at, "and") || *at >= to) {
        refuse(t, 905, "");
        free(text);
        return;
    }
    ++*at;
    say(t, " AND");
    again.from = t->length;
    say(t, text);
    free(text);
    struct operand high = say_value(t, at, to);
    join_by(t, again, high, "<=");
    insert(t, begin, " (");
    say(t, ")");
}

// x = a OR x = b ...; the values were said in [value[i].from, value[i].to).
static void say_any_of(struct translator *t, struct operand x,
                       struct operand *value, unsigned count) {
    char *all = said_text(t, x.from, t->length);
    const size_t begin = x.from;
    if (!all)
        return;
    t->length = begin;
    for (unsigned i = 0; i < count; i++) {
        struct operand left = x;
        say(t, i == 0 ? " (" : " OR ");
        left.from = t->length;
        say_part(t, all, x.to - begin);
        const size_t from = value[i].from - begin;
        value[i].to -= begin;
        struct operand right = value[i];
        right.from = t->length;
        say_part(t, all + from, value[i].to - from);
        join_by(t, left, right, "=");
    }
    say(t, ")");
    free(all);
}

static void say_in_list(struct translator *t, struct operand x, size_t open) {
    enum { MOST = 1000 };
    const size_t close = t->close[open];
    struct operand *value = calloc(MOST, sizeof *value);
    unsigned count = 0;
    bool native = true;
    x.to = t->length;
    for (size_t from = open + 1; from <= close && value; from++) {
        size_t end = find(t, from, close, ",");
        if (count == MOST || t->result->error) {
            refuse(t, 1795, "");
            break;
        }
        if (count > 0)
            say(t, ",");
        value[count] = say_whole_value(t, from, end, 907);
        value[count].to = t->length;
        native = comparable(t, &x, &value[count], true) && native;
        count++;
        from = end;
    }
    if (!value) {
        refuse(t, 4030, "");
    } else if (native) {
        insert(t, x.to, " IN (");
        say(t, ")");
    } else {
        say_any_of(t, x, value, count);
    }
    free(value);
}

static void say_in(struct translator *t, struct operand x, size_t *at) {
    const size_t open = *at;
    if (!is(t, open, "(")) {
        refuse(t, 3001, "IN without parentheses");
        return;
    }
    *at = t->close[open] + 1;
    if (!is(t, open + 1, "select") && !is(t, open + 1, "with")) {
        say_in_list(t, x, open);
        return;
    }
    say(t, " IN (");
    struct operand rows = {.type = say_query(t, open + 1, t->close[open])};
    if (t->result->columns > 1)
        refuse(t, 913, "");
    say(t, ")");
    if (!comparable(t, &x, &rows, true))
        refuse(t, 3001, "IN with types that are not the same");
}

static void say_as_text(struct translator *t, const struct operand *value) {
    if (value->type == OPERAND_TEXT)
        return;
    insert(t, value->from, " TEXT$(");
    say(t, ")");
}

static void say_like(struct translator *t, struct operand x, size_t *at,
                     size_t to) {
    say_as_text(t, &x);
    say(t, " LIKE");
    struct operand pattern = say_value(t, at, to);
    say_as_text(t, &pattern);
    if (*at < to && is(t, *at, "escape")) {
        ++*at;
        say(t, " ESCAPE");
        say_value(t, at, to);
    }
}

// What comes after the first value of a condition.
void say_comparison(struct translator *t, struct operand x, size_t *at,
                    size_t to) {
    const bool negated = *at < to && is(t, *at, "not");
    const size_t word = *at + negated;
    const size_t begin = x.from;
    const char *sign = *at < to ? sign_at(t, *at) : NULL;
    *at = word + 1;
    x.to = t->length;
    if (word >= to) {
        refuse(t, NO_OPERATOR, "");
    } else if (sign && !negated) {
        if (*at < to &&
            (is(t, *at, "any") || is(t, *at, "some") || is(t, *at, "all")))
            refuse(t, 3001, "ANY and ALL");
        struct operand right = say_value(t, at, to);
        join_by(t, x, right, sign);
    } else if (is(t, word, "is") && !negated) {
        const bool not_null = is(t, *at, "not");
        *at += not_null;
        if (*at >= to || !is(t, *at, "null"))
            refuse(t, 908, "");
        ++*at;
        say(t, not_null ? " IS NOT NULL" : " IS NULL");
    } else if (is(t, word, "between")) {
        say_between(t, x, at, to);
    } else if (is(t, word, "in")) {
        say_in(t, x, at);
    } else if (is(t, word, "like")) {
        say_like(t, x, at, to);
    } else {
        refuse(t, NO_OPERATOR, "");
    }
    if (negated) {
        insert(t, begin, " NOT (");
        say(t, ")");
    }
}
