// SPDX-License-Identifier: GPL-2.0-or-later
// Values without operators: literals, names, binds, parentheses.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "sql/source.h"
#include "sql/value.h"

static void add_placeholder(struct translator *t, const struct token *token) {
    struct translation *result = t->result;
    if (result->binds == MOST_BINDS || token->length >= BIND_NAME) {
        source_refuse(t, 1745, "");
        return;
    }
    unsigned n = result->binds++;
    for (size_t i = 0; i < token->length; i++)
        result->bind[n].name[i] = (char)toupper((unsigned char)token->at[i]);
    result->bind[n].name[token->length] = '\0';
    result->bind[n].first = n;
    result->expected[n] = result->known ? result->known[n] : OPERAND_UNKNOWN;
    for (unsigned i = 0; i < n; i++)
        if (strcmp(result->bind[i].name, result->bind[n].name) == 0) {
            result->bind[n].first = i;
            break;
        }
}

// In the order of the text, which is the client's, not in that of emitting:
// `rownum <= :n` is emitted after the rest of its condition.
unsigned bind_placeholder(struct translator *t, size_t at) {
    unsigned n = 0;
    for (size_t i = 0; i <= at && !t->result->error; i++) {
        if (t->tokens[i].type != TOKEN_BIND)
            continue;
        if (n++ == t->result->binds)
            add_placeholder(t, &t->tokens[i]);
    }
    return t->result->error ? 0 : n;
}

static void emit_bind(struct translator *t, size_t at,
                      struct operand *emitted) {
    char number[16];
    unsigned n = bind_placeholder(t, at);
    snprintf(number, sizeof number, " ?%u", n);
    emit_text(t, number);
    emitted->bind = n;
    if (n > 0)
        emitted->type = t->result->expected[n - 1];
}

void emit_number(struct translator *t, size_t at, bool negative,
                 struct operand *emitted) {
    const struct token *token = &t->tokens[at];
    struct decimal value;
    bool overflow;
    int64_t integer;
    double real;
    uint8_t wide[WIDE_BYTES];
    char text[NUMBER_TEXT + 8], byte[4];
    if (!decimal_from_text(token->at, token->length, &value, &overflow)) {
        source_refuse(t, overflow ? 1426 : 1722, "");
        return;
    }
    const struct token *next = token + 1;
    if (next->type == TOKEN_WORD && next->at == token->at + token->length &&
        strchr("dDfF", *next->at))
        source_refuse(t, 3001, "BINARY_DOUBLE");
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
        emit_text(t, " X'");
        for (size_t i = 0; i < sizeof wide; i++) {
            snprintf(byte, sizeof byte, "%02X", wide[i]);
            emit_text(t, byte);
        }
        emit_text(t, "'");
    }
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
    emit_text(t, " ");
    emit_qualified_name(t, at, to);
    emitted->type = operand_type_of_name(t, *at - 1);
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
    } else if (alone && emit_bare_function(t, at, emitted)) {
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
        emit_number(t, (*at)++, false, emitted);
        return;
    default:
        if (source_is(t, *at, "("))
            emit_parenthesized(t, at, emitted);
        else
            source_refuse(t, 936, "");
    }
}
