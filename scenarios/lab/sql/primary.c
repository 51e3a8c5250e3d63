// SPDX-License-Identifier: GPL-2.0-or-later
// Values without operators: literals, names, binds, parentheses.
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sql/binary_number.h"
#include "sql/source.h"
#include "sql/value.h"

static void emit_bind(struct translator *t, size_t at,
                      struct operand *emitted) {
    char number[16];
    unsigned n = bind_placeholder(t, at);
    snprintf(number, sizeof number, " ?%u", n);
    emit_text(t, number);
    emitted->bind = n;
    if (n > 0)
        emitted->type = t->result->bind[n - 1].expected;
}

static void emit_blob(struct translator *t, const uint8_t *bytes,
                      size_t length) {
    char byte[4];
    emit_text(t, " X'");
    for (size_t i = 0; i < length; i++) {
        snprintf(byte, sizeof byte, "%02X", bytes[i]);
        emit_text(t, byte);
    }
    emit_text(t, "'");
}

static void emit_binary_number(struct translator *t, double number,
                               enum value_class class,
                               struct operand *emitted) {
    uint8_t bytes[BINARY_DOUBLE_BYTES];
    binary_number_write(number, class, bytes);
    emit_blob(t, bytes, value_binary_bytes(class));
    emitted->type = class == CLASS_BINARY_FLOAT ? OPERAND_BINARY_FLOAT
                                                : OPERAND_BINARY_DOUBLE;
}

// 1.5d or 1.5f: the letter is a word of its own here. False: it is neither.
static bool emit_binary_literal(struct translator *t, size_t *at, bool negative,
                                struct operand *emitted) {
    const struct token *token = &t->tokens[*at], *letter = token + 1;
    char text[NUMBER_TEXT];
    if (letter->type != TOKEN_WORD || letter->length != 1 ||
        letter->at != token->at + token->length || !strchr("dDfF", *letter->at))
        return false;
    *at += 2;
    if (token->length >= sizeof text) {
        source_refuse(t, 3001, "so long a literal");
        return true;
    }
    memcpy(text, token->at, token->length);
    text[token->length] = '\0';
    const bool single = toupper((unsigned char)*letter->at) == 'F';
    const double size =
        single ? (double)strtof(text, NULL) : strtod(text, NULL);
    if (isinf(size))
        source_refuse(t, 1426, "");
    else
        emit_binary_number(t, negative ? -size : size,
                           single ? CLASS_BINARY_FLOAT : CLASS_BINARY_DOUBLE,
                           emitted);
    return true;
}

void emit_number(struct translator *t, size_t *at, bool negative,
                 struct operand *emitted) {
    if (emit_binary_literal(t, at, negative, emitted))
        return;
    const struct token *token = &t->tokens[(*at)++];
    struct decimal value;
    bool overflow;
    int64_t integer;
    double real;
    uint8_t wide[WIDE_BYTES];
    char text[NUMBER_TEXT + 8];
    if (!decimal_from_text(token->at, token->length, &value, &overflow)) {
        source_refuse(t, overflow ? 1426 : 1722, "");
        return;
    }
    value.negative = negative && value.count > 0;
    emitted->type = OPERAND_SMALL;
    switch (value_number_form(&value, &integer, &real)) {
    case 1: // SQLITE_INTEGER
        snprintf(text, sizeof text, " %lld", (long long)integer);
        if (integer == INT64_MIN)
            strcpy(text, " (-9223372036854775807-1)");
        emit_text(t, text);
        break;
    case 2: // SQLITE_FLOAT
        snprintf(text, sizeof text, " %.15e", real);
        emit_text(t, text);
        break;
    default:
        emitted->type = OPERAND_NUMBER;
        value_wide_from_decimal(&value, wide);
        emit_blob(t, wide, sizeof wide);
    }
}

// The names of what has no digits.
static bool emit_binary_constant(struct translator *t, size_t *at,
                                 struct operand *emitted) {
    static const struct {
        const char *name;
        double number;
        enum value_class class;
    } constants[] = {
        {"binary_float_nan", NAN, CLASS_BINARY_FLOAT},
        {"binary_float_infinity", INFINITY, CLASS_BINARY_FLOAT},
        {"binary_double_nan", NAN, CLASS_BINARY_DOUBLE},
        {"binary_double_infinity", INFINITY, CLASS_BINARY_DOUBLE},
    };
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        if (source_is(t, *at, constants[i].name)) {
            emit_binary_number(t, constants[i].number, constants[i].class,
                               emitted);
            ++*at;
            return true;
        }
    return false;
}

static bool any_of(const struct translator *t, size_t at,
                   const char *const *words) {
    for (; *words; words++)
        if (source_is(t, at, *words))
            return true;
    return false;
}

// Functions that are called without parentheses.
static bool emit_bare_function(struct translator *t, size_t *at,
                               struct operand *emitted) {
    static const struct {
        const char *name;
        enum operand_type type;
    } bare[] = {
        {"sysdate", OPERAND_DATE},
        {"current_date", OPERAND_DATE},
        {"systimestamp", OPERAND_TIMESTAMP_TZ},
        {"current_timestamp", OPERAND_TIMESTAMP_TZ},
        {"localtimestamp", OPERAND_TIMESTAMP},
        {"dbtimezone", OPERAND_TEXT},
        {"sessiontimezone", OPERAND_TEXT},
        {"user", OPERAND_TEXT},
    };
    for (size_t i = 0; i < sizeof bare / sizeof *bare; i++) {
        if (!source_is(t, *at, bare[i].name))
            continue;
        emit_text(t, " ");
        for (const char *c = bare[i].name; *c; c++)
            emit_bytes(t, (const char[]){(char)toupper(*c)}, 1);
        emit_text(t, "$()");
        emitted->type = bare[i].type;
        ++*at;
        return true;
    }
    return false;
}

static void emit_column(struct translator *t, size_t *at, size_t to,
                        struct operand *emitted) {
    const size_t first = *at;
    if (!emit_rowid(t, at, to, emitted)) {
        emit_text(t, " ");
        emit_qualified_name(t, at, to);
        emitted->type = operand_type_of_name(t, *at - 1);
    }
    grouping_check(t, first, *at);
}

static void emit_word(struct translator *t, size_t *at, size_t to,
                      struct operand *emitted) {
    static const char *const refused[] = {
        "prior",    "connect_by_root", "connect_by_isleaf",
        "interval", "cursor",          "treat",
        NULL};
    static const char *const no_columns[] = {"true", "false", "current_time",
                                             NULL};
    const bool word = t->tokens[*at].type == TOKEN_WORD;
    const bool alone = *at + 1 >= to || (!source_is(t, *at + 1, ".") &&
                                         !source_is(t, *at + 1, "("));
    const bool string = *at + 1 < to && t->tokens[*at + 1].type == TOKEN_STRING;
    if (source_is(t, *at, "case")) {
        *emitted = emit_case(t, at, to);
    } else if (source_is(t, *at, "null")) {
        emit_text(t, " NULL");
        emitted->type = OPERAND_NULL;
        ++*at;
    } else if (word && string &&
               (source_is(t, *at, "date") || source_is(t, *at, "timestamp"))) {
        const bool date = source_is(t, *at, "date");
        emit_text(t, date ? " DATE_LITERAL$(" : " TIMESTAMP_LITERAL$(");
        emit_bytes(t, t->tokens[*at + 1].at, t->tokens[*at + 1].length);
        emit_text(t, ")");
        emitted->type = date ? OPERAND_DATE : OPERAND_TIMESTAMP;
        *at += 2;
    } else if (source_is(t, *at, "distinct") || source_is_keyword(t, *at)) {
        source_refuse(t, 936, "");
    } else if (any_of(t, *at, refused) &&
               (!alone || string || source_is_name(t, *at + 1))) {
        source_refuse_token(t, 3001, *at);
    } else if (alone && any_of(t, *at, no_columns)) {
        source_refuse_token(t, 904, *at);
    } else if (alone && source_is(t, *at, "rownum")) {
        if (!t->rownum_allowed)
            source_refuse(t, 3001, "ROWNUM here");
        emit_text(t, " row_number() over ()");
        emitted->type = OPERAND_SMALL;
        ++*at;
    } else if (*at + 1 < to && source_is(t, *at + 1, "(")) {
        if (!emit_special(t, at, to, emitted))
            *emitted = emit_call(t, at, to);
    } else if (alone && (emit_bare_function(t, at, emitted) ||
                         emit_binary_constant(t, at, emitted))) {
        ;
    } else if (*at + 2 < to && source_is(t, *at + 1, ".") &&
               (source_is(t, *at + 2, "nextval") ||
                source_is(t, *at + 2, "currval"))) {
        source_refuse(t, 3001, "sequences");
    } else {
        emit_column(t, at, to, emitted);
    }
}

// Whether the query returns one row at most: an aggregate without groups.
static bool is_one_row(const struct translator *t, size_t from, size_t to) {
    static const char *const more[] = {"group", "union", "intersect", "minus",
                                       "with"};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        if (source_find(t, from, to, more[i]) < to)
            return false;
    return grouping_has_aggregate(t, from + 1,
                                  source_find(t, from, to, "from"));
}

// A scalar subquery. SQLite would silently take the first of several rows.
static enum operand_type emit_scalar(struct translator *t, size_t from,
                                     size_t to) {
    const size_t begin = t->length;
    const enum operand_type type = emit_query(t, from, to);
    if (t->result->columns > 1)
        source_refuse(t, 913, "");
    if (is_one_row(t, from, to))
        return type;
    emit_at(t, begin, "WITH \"ROW$\"(C) AS (");
    emit_text(t, ") SELECT ONE_ROW$(C) FROM \"ROW$\"");
    return type;
}

static void emit_parenthesized(struct translator *t, size_t *at,
                               struct operand *emitted) {
    const size_t close = t->close[*at];
    if (*at + 1 == close) {
        source_refuse(t, 936, "");
        return;
    }
    emit_text(t, " (");
    if (source_is(t, *at + 1, "select") || source_is(t, *at + 1, "with"))
        emitted->type = emit_scalar(t, *at + 1, close);
    else
        emitted->type = emit_whole_value(t, *at + 1, close, 907).type;
    emit_text(t, ")");
    *at = close + 1;
}

void emit_primary(struct translator *t, size_t *at, size_t to,
                  struct operand *emitted) {
    const struct token *token = &t->tokens[*at];
    switch (token->type) {
    case TOKEN_WORD:
    case TOKEN_QUOTED:
        emit_word(t, at, to, emitted);
        return;
    case TOKEN_BIND:
        emit_bind(t, (*at)++, emitted);
        return;
    case TOKEN_STRING: // an empty string is NULL
        emitted->type = token->length == 2 ? OPERAND_NULL : OPERAND_TEXT;
        emitted->literal = token->length > 2;
        emitted->padded =
            emitted->literal && token->at[token->length - 2] == ' ';
        emit_text(t, " ");
        if (token->length == 2)
            emit_text(t, "NULL");
        else
            emit_bytes(t, token->at, token->length);
        ++*at;
        return;
    case TOKEN_NUMBER:
        emit_number(t, at, false, emitted);
        return;
    default:
        if (source_is(t, *at, "("))
            emit_parenthesized(t, at, emitted);
        else
            source_refuse(t, 936, "");
    }
}
