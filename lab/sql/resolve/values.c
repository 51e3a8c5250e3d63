// SPDX-License-Identifier: GPL-2.0-or-later
// The types of values.
#include <stdlib.h>

#include "sql/resolve/resolver.h"
#include "sql/types/column_type.h"
#include "sql/types/interval.h"
#include "sql/types/value.h"

void resolve_expect(struct resolver *r, struct expr *value,
                    enum operand_type type) {
    // One behind an error has not been resolved, and has no number.
    if (value->kind != EXPR_BIND || value->bind == 0 ||
        value->type != OPERAND_UNKNOWN)
        return;
    r->s->bind[value->bind - 1].expected = (uint8_t)type;
    value->type = value->shown = type;
}

enum operand_type resolve_common_type(struct resolver *r, enum operand_type a,
                                      enum operand_type b) {
    if (a == OPERAND_NULL || b == OPERAND_NULL)
        return a == OPERAND_NULL ? b : a;
    if (operand_is_number(a) && operand_is_number(b))
        return a == b ? a : OPERAND_NUMBER;
    if ((operand_is_number(a) && operand_is_time(b)) ||
        (operand_is_time(a) && operand_is_number(b)))
        statement_refuse(r->s, 932, 0, "");
    return a == b ? a : OPERAND_UNKNOWN;
}

void resolve_merge_type(struct resolver *r, enum operand_type *type,
                        const struct expr *more) {
    const enum operand_type previous = *type;
    if (more->type == OPERAND_NULL)
        return;
    *type = resolve_common_type(r, previous, more->type);
    const bool is_known = previous != OPERAND_UNKNOWN &&
                          previous != OPERAND_NULL &&
                          more->type != OPERAND_UNKNOWN;
    const bool text =
        (previous == OPERAND_TEXT) != (more->type == OPERAND_TEXT);
    if (is_known && text)
        statement_refuse(r->s, 932, more->from, "");
    // Oracle converts all of them to the widest.
    if (is_known && previous != more->type &&
        (operand_is_binary_number(previous) ||
         operand_is_binary_number(more->type)))
        statement_refuse(r->s, 3001, more->from, "numbers of several types");
}

static void resolve_bind(struct resolver *r, struct expr *bind) {
    bind->bind = placeholder_at(r->s, bind->from);
    bind->type = r->s->bind[bind->bind - 1].expected;
}

static unsigned digits_at(const struct resolver *r, unsigned token,
                          unsigned usual) {
    return token ? (unsigned)strtoul(r->s->tokens[token].at, NULL, 10) : usual;
}

static void resolve_interval(struct resolver *r, struct expr *value) {
    enum { NO_FIELD = 30089, DIGITS = 30088, MOST_DIGITS = 9 };
    const struct literal text = literal_of(&r->s->tokens[value->from + 1]);
    const struct token *first = &r->s->tokens[value->name.first];
    const struct token *last = &r->s->tokens[value->name.last];
    const struct interval_fields fields = {
        interval_field_named(first->at, first->length),
        interval_field_named(last->at, last->length),
        digits_at(r, value->cast->size, 2),
        digits_at(r, value->cast->scale, 6),
    };
    struct interval *result = statement_take(r->s, sizeof *result);
    const bool months = fields.first <= FIELD_MONTH;
    value->interval = result;
    value->type = months ? OPERAND_INTERVAL_YM : OPERAND_INTERVAL_DS;
    if (fields.first == FIELD_NONE || fields.last == FIELD_NONE ||
        fields.first > fields.last || months != (fields.last <= FIELD_MONTH))
        statement_refuse(r->s, NO_FIELD, value->name.first, "");
    else if (fields.digits > MOST_DIGITS || fields.fraction > MOST_DIGITS ||
             fields.digits == 0)
        statement_refuse(r->s, DIGITS, value->name.first, "");
    else {
        const unsigned error =
            interval_parse(text.at, text.length, &fields, result);
        if (error)
            statement_refuse(r->s, error, value->from, "");
    }
}

static void resolve_text(struct resolver *r, struct expr *text) {
    const struct literal literal = literal_of(&r->s->tokens[text->from]);
    text->literal = literal.length > 0;
    text->type = text->literal ? OPERAND_TEXT : OPERAND_NULL;
    text->padded = text->literal && literal.at[literal.length - 1] == ' ';
}

// Of an operation with an INTERVAL.
static enum operand_type interval_type(enum sign sign, enum operand_type a,
                                       enum operand_type b) {
    if (a == OPERAND_UNKNOWN || b == OPERAND_UNKNOWN)
        return sign == SIGN_MULTIPLY || sign == SIGN_DIVIDE
                   ? operand_is_interval(a) ? a : b
                   : OPERAND_UNKNOWN;
    return operand_is_time(a)       ? a
           : operand_is_time(b)     ? b
           : operand_is_interval(a) ? a
                                    : b;
}

// The type of a + b and the like.
static enum operand_type arithmetic_type(enum sign sign, enum operand_type a,
                                         enum operand_type b) {
    const bool numeric = (operand_is_number(a) || a == OPERAND_TEXT) &&
                         (operand_is_number(b) || b == OPERAND_TEXT);
    if (sign == SIGN_CONCATENATE)
        return OPERAND_TEXT;
    if (a == OPERAND_BINARY_DOUBLE || b == OPERAND_BINARY_DOUBLE)
        return OPERAND_BINARY_DOUBLE;
    if (a == OPERAND_BINARY_FLOAT || b == OPERAND_BINARY_FLOAT)
        return a == OPERAND_UNKNOWN || b == OPERAND_UNKNOWN
                   ? OPERAND_UNKNOWN
                   : OPERAND_BINARY_FLOAT;
    if (operand_is_interval(a) || operand_is_interval(b))
        return interval_type(sign, a, b);
    if (numeric || sign == SIGN_MULTIPLY || sign == SIGN_DIVIDE ||
        sign == SIGN_POWER)
        return OPERAND_NUMBER;
    if (operand_is_time(a) && operand_is_number(b))
        return OPERAND_DATE;
    if (a == OPERAND_DATE && b == OPERAND_DATE)
        return OPERAND_NUMBER;
    if (operand_is_time(a) && operand_is_time(b))
        return OPERAND_INTERVAL_DS;
    return OPERAND_UNKNOWN;
}

// Whether the query returns one row at most: an aggregate without groups.
static bool is_one_row(const struct query *query) {
    const struct block *block = query->first;
    return !query->set && !query->with && !block->inner &&
           block->group.count == 0 && block->aggregates;
}

static void resolve_subquery(struct resolver *r, struct expr *value) {
    resolve_query(r, value->query);
    const struct column_defs *columns = &value->query->columns;
    if (columns->known && columns->count > 1)
        statement_refuse(r->s, 913, value->from, "");
    if (columns->known && columns->count == 1) {
        value->type = columns->first->type;
        value->fixed = columns->first->fixed;
        value->shown = columns->first->shown;
    }
    value->native = is_one_row(value->query);
}

static void resolve_case(struct resolver *r, struct expr *value) {
    enum operand_type type = OPERAND_NULL;
    if (value->left)
        resolve_value(r, value->left);
    for (struct expr *when = value->list.first; when; when = when->next) {
        if (value->left) {
            resolve_value(r, when->left);
            when->native = resolve_comparable(r, value->left, when->left, true);
        } else {
            resolve_condition(r, when->left);
        }
        resolve_value(r, when->right);
        resolve_merge_type(r, &type, when->right);
    }
    if (value->right) {
        resolve_value(r, value->right);
        resolve_merge_type(r, &type, value->right);
    }
    value->type = type;
}

static void resolve_cast(struct resolver *r, struct expr *value) {
    resolve_value(r, value->left);
    type_name_of_cast(r, value->cast);
    if (!value->cast->declared)
        return;
    value->type = operand_type_of_declaration(value->cast->declared, true);
    value->fixed = column_type_is_fixed(value->cast->declared);
}

static void resolve_extract(struct resolver *r, struct expr *value) {
    static const char *const fields[] = {"year", "month",  "day",
                                         "hour", "minute", "second"};
    bool matches = false;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        matches = matches || statement_is(r->s, value->name.first, fields[i]);
    if (!matches)
        statement_refuse(r->s, 907, value->name.first, "");
    resolve_value(r, value->left);
    value->type = OPERAND_NUMBER;
}

// Or none: TRIM('' FROM ...) is NULL.
static bool is_one_character(const struct token *token) {
    const struct literal text = literal_of(token);
    return text.length <= 1 || (text.length == 2 && text.doubled &&
                                text.at[0] == '\'' && text.at[1] == '\'');
}

static void resolve_trim(struct resolver *r, struct expr *value) {
    resolve_value(r, value->left);
    if (value->right) {
        if (value->right->kind != EXPR_TEXT)
            statement_refuse(r->s, 3001, value->right->from,
                             "TRIM of other than a literal");
        else if (!is_one_character(&r->s->tokens[value->right->from]))
            statement_refuse(r->s, 30001, value->right->from, "");
        resolve_value(r, value->right);
    }
    value->type = OPERAND_TEXT;
}

void resolve_values(struct resolver *r, struct exprs *list) {
    for (struct expr *one = list->first; one; one = one->next)
        resolve_value(r, one);
}

static void resolve_rownum(struct resolver *r, struct expr *value) {
    if (!r->rownum_allowed)
        statement_refuse(r->s, 3001, value->from, "ROWNUM here");
    value->type = OPERAND_SMALL;
}

static enum operand_type type_of_number(struct resolver *r,
                                        struct expr *number) {
    const struct token *token = &r->s->tokens[number->to - 1];
    struct decimal value;
    bool overflow;
    int64_t integer;
    double real;
    if (!decimal_from_text(token->at, token->length, &value, &overflow)) {
        statement_refuse(r->s, overflow ? 1426 : 1722, number->from, "");
        return OPERAND_UNKNOWN;
    }
    value.negative = number->negative && value.count > 0;
    const int form = value_number_form(&value, &integer, &real);
    return form == 1 || form == 2 ? OPERAND_SMALL : OPERAND_NUMBER;
}

static enum operand_type type_of_binary_number(const struct resolver *r,
                                               const struct expr *number) {
    const struct token *token = &r->s->tokens[number->to - 1];
    const char letter = token->at[token->length - 1];
    return letter == 'f' || letter == 'F' ? OPERAND_BINARY_FLOAT
                                          : OPERAND_BINARY_DOUBLE;
}

static void resolve_parts(struct resolver *r, struct expr *value) {
    switch (value->kind) {
    case EXPR_NULL:
        value->type = OPERAND_NULL;
        break;
    case EXPR_TEXT:
        resolve_text(r, value);
        break;
    case EXPR_NUMBER:
        value->type = type_of_number(r, value);
        break;
    case EXPR_BINARY_NUMBER:
        value->type = type_of_binary_number(r, value);
        break;
    case EXPR_DATE:
        value->type = OPERAND_DATE;
        break;
    case EXPR_TIMESTAMP:
        value->type = OPERAND_TIMESTAMP;
        break;
    case EXPR_INTERVAL:
        resolve_interval(r, value);
        break;
    case EXPR_BIND:
        resolve_bind(r, value);
        break;
    case EXPR_COLUMN:
        resolve_column(r, value);
        break;
    case EXPR_ROWNUM:
        resolve_rownum(r, value);
        break;
    case EXPR_SIGN:
        resolve_value(r, value->left);
        value->type = operand_is_binary_number(value->left->type) ||
                              operand_is_interval(value->left->type)
                          ? value->left->type
                          : OPERAND_NUMBER;
        break;
    case EXPR_ARITHMETIC:
        resolve_value(r, value->left);
        resolve_value(r, value->right);
        value->type =
            arithmetic_type(value->sign, value->left->type, value->right->type);
        break;
    case EXPR_PRIOR:
    case EXPR_ROOT:
        hierarchy_carry(r, value);
        break;
    case EXPR_PARENTHESIZED:
        resolve_value(r, value->left);
        value->type = value->left->type;
        value->fixed = value->left->fixed;
        value->shown = value->left->shown;
        break;
    case EXPR_SUBQUERY:
        resolve_subquery(r, value);
        break;
    case EXPR_CALL:
        resolve_call(r, value);
        break;
    case EXPR_CASE:
        r->conditional++;
        resolve_case(r, value);
        r->conditional--;
        break;
    case EXPR_CAST:
        resolve_cast(r, value);
        break;
    case EXPR_EXTRACT:
        resolve_extract(r, value);
        break;
    case EXPR_TRIM:
        resolve_trim(r, value);
        break;
    case EXPR_VARIABLE:
        break;
    case EXPR_FIELD:
    case EXPR_ATTRIBUTE:
        if (!resolve_stored(r, value))
            statement_refuse(r->s, 911, value->from, "");
        break;
    case EXPR_ARGUMENT:
        statement_refuse(r->s, 3001, value->from, "named arguments in SQL");
        break;
    default:
        statement_refuse(r->s, 936, value->from, "");
    }
}

bool resolve_enter(struct resolver *r, unsigned token) {
    enum { DEEPEST = 1000 };
    statement_work(r->s, 1);
    if (r->depth++ == DEEPEST)
        statement_refuse(r->s, 3001, token, "so deep a statement");
    return !r->s->error;
}

void resolve_value(struct resolver *r, struct expr *value) {
    if (resolve_enter(r, value->from))
        resolve_parts(r, value);
    if (value->shown == OPERAND_UNKNOWN)
        value->shown = value->type;
    r->depth--;
}
