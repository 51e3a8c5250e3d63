// SPDX-License-Identifier: GPL-2.0-or-later
// Values without an operator: literals, names, binds, what is in parentheses.
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "sql/source.h"
#include "sql/value.h"

unsigned placeholder(struct translator *t, size_t at) {
    const struct token *token = &t->tokens[at];
    struct translation *result = t->result;
    if (result->binds == MOST_BINDS || token->length >= BIND_NAME) {
        refuse(t, 1745, "");
        return 0;
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
    return n + 1;
}

static void say_bind(struct translator *t, size_t at, struct operand *said) {
    char number[16];
    unsigned n = placeholder(t, at);
    snprintf(number, sizeof number, " ?%u", n);
    say(t, number);
    said->bind = n;
    if (n > 0)
        said->type = t->result->expected[n - 1];
}

void say_number(struct translator *t, size_t at, bool negative,
                struct operand *said) {
    const struct token *token = &t->tokens[at];
    struct decimal value;
    bool overflow;
    int64_t integer;
    double real;
    uint8_t wide[WIDE_BYTES];
    char text[NUMBER_TEXT + 8], byte[4];
    if (!decimal_from_text(token->at, token->length, &value, &overflow)) {
        refuse(t, overflow ? 1426 : 1722, "");
        return;
    }
    const struct token *next = token + 1;
    if (next->type == TOKEN_WORD && next->at == token->at + token->length &&
        strchr("dDfF", *next->at))
        refuse(t, 3001, "BINARY_DOUBLE");
    value.negative = negative && value.count > 0;
    said->type = OPERAND_SMALL;
    switch (number_form(&value, &integer, &real)) {
    case 1: // SQLITE_INTEGER
        snprintf(text, sizeof text, " %lld", (long long)integer);
        if (integer == INT64_MIN)
            strcpy(text, " (-9223372036854775807-1)");
        say(t, text);
        break;
    case 2: // SQLITE_FLOAT
        snprintf(text, sizeof text, " %.15e", real);
        say(t, text);
        break;
    default:
        said->type = OPERAND_NUMBER;
        wide_number(&value, wide);
        say(t, " X'");
        for (size_t i = 0; i < sizeof wide; i++) {
            snprintf(byte, sizeof byte, "%02X", wide[i]);
            say(t, byte);
        }
        say(t, "'");
    }
}

static bool any_of(const struct translator *t, size_t at,
                   const char *const *words) {
    for (; *words; words++)
        if (is(t, at, *words))
            return true;
    return false;
}

// Functions that are called without parentheses.
static bool say_bare_function(struct translator *t, size_t *at,
                              struct operand *said) {
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
        if (!is(t, *at, bare[i].name))
            continue;
        say(t, " ");
        for (const char *c = bare[i].name; *c; c++)
            say_part(t, (const char[]){(char)toupper(*c)}, 1);
        say(t, "$()");
        said->type = bare[i].type;
        ++*at;
        return true;
    }
    return false;
}

static void say_column(struct translator *t, size_t *at, size_t to,
                       struct operand *said) {
    const size_t first = *at;
    say(t, " ");
    say_names(t, at, to);
    said->type = name_type(t, *at - 1);
    check_grouped(t, first, *at);
}

static void say_word(struct translator *t, size_t *at, size_t to,
                     struct operand *said) {
    static const char *const refused[] = {
        "prior",    "connect_by_root", "connect_by_isleaf",
        "interval", "cursor",          "treat",
        NULL};
    static const char *const no_columns[] = {"true", "false", "current_time",
                                             NULL};
    const bool word = t->tokens[*at].type == TOKEN_WORD;
    const bool alone =
        *at + 1 >= to || (!is(t, *at + 1, ".") && !is(t, *at + 1, "("));
    const bool string = *at + 1 < to && t->tokens[*at + 1].type == TOKEN_STRING;
    if (is(t, *at, "case")) {
        *said = say_case(t, at, to);
    } else if (is(t, *at, "null")) {
        say(t, " NULL");
        said->type = OPERAND_NULL;
        ++*at;
    } else if (word && string &&
               (is(t, *at, "date") || is(t, *at, "timestamp"))) {
        const bool date = is(t, *at, "date");
        say(t, date ? " DATE_LITERAL$(" : " TIMESTAMP_LITERAL$(");
        say_part(t, t->tokens[*at + 1].at, t->tokens[*at + 1].length);
        say(t, ")");
        said->type = date ? OPERAND_DATE : OPERAND_TIMESTAMP;
        *at += 2;
    } else if (is(t, *at, "distinct") || is_keyword(t, *at)) {
        refuse(t, 936, "");
    } else if (any_of(t, *at, refused) &&
               (!alone || string || is_name(t, *at + 1))) {
        refuse_token(t, 3001, *at);
    } else if (alone && any_of(t, *at, no_columns)) {
        refuse_token(t, 904, *at);
    } else if (alone && is(t, *at, "rownum")) {
        if (!t->rownum_allowed)
            refuse(t, 3001, "ROWNUM here");
        say(t, " row_number() over ()");
        said->type = OPERAND_SMALL;
        ++*at;
    } else if (*at + 1 < to && is(t, *at + 1, "(")) {
        if (!say_special(t, at, to, said))
            *said = say_call(t, at, to);
    } else if (alone && say_bare_function(t, at, said)) {
        ;
    } else if (*at + 2 < to && is(t, *at + 1, ".") &&
               (is(t, *at + 2, "nextval") || is(t, *at + 2, "currval"))) {
        refuse(t, 3001, "sequences");
    } else {
        say_column(t, at, to, said);
    }
}

// Whether a query can have one row at most: an aggregate without groups.
static bool is_one_row(const struct translator *t, size_t from, size_t to) {
    static const char *const more[] = {"group", "union", "intersect", "minus",
                                       "with"};
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        if (find(t, from, to, more[i]) < to)
            return false;
    return has_aggregate(t, from + 1, find(t, from, to, "from"));
}

// A query as a value. SQLite would take the first of several rows.
static enum operand_type say_scalar(struct translator *t, size_t from,
                                    size_t to) {
    const size_t begin = t->length;
    const enum operand_type type = say_query(t, from, to);
    if (t->result->columns > 1)
        refuse(t, 913, "");
    if (is_one_row(t, from, to))
        return type;
    insert(t, begin, "WITH \"ROW$\"(C) AS (");
    say(t, ") SELECT ONE_ROW$(C) FROM \"ROW$\"");
    return type;
}

static void say_parenthesized(struct translator *t, size_t *at,
                              struct operand *said) {
    const size_t close = t->close[*at];
    if (*at + 1 == close) {
        refuse(t, 936, "");
        return;
    }
    say(t, " (");
    if (is(t, *at + 1, "select") || is(t, *at + 1, "with"))
        said->type = say_scalar(t, *at + 1, close);
    else
        said->type = say_whole_value(t, *at + 1, close, 907).type;
    say(t, ")");
    *at = close + 1;
}

void say_primary(struct translator *t, size_t *at, size_t to,
                 struct operand *said) {
    const struct token *token = &t->tokens[*at];
    switch (token->type) {
    case TOKEN_WORD:
    case TOKEN_QUOTED:
        say_word(t, at, to, said);
        return;
    case TOKEN_BIND:
        say_bind(t, (*at)++, said);
        return;
    case TOKEN_STRING: // the empty string is NULL
        said->type = token->length == 2 ? OPERAND_NULL : OPERAND_TEXT;
        said->literal = token->length > 2;
        said->padded = said->literal && token->at[token->length - 2] == ' ';
        say(t, " ");
        if (token->length == 2)
            say(t, "NULL");
        else
            say_part(t, token->at, token->length);
        ++*at;
        return;
    case TOKEN_NUMBER:
        say_number(t, (*at)++, false, said);
        return;
    default:
        if (is(t, *at, "("))
            say_parenthesized(t, at, said);
        else
            refuse(t, 936, "");
    }
}
