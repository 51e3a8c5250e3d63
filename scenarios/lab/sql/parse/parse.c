// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/parse/parse.h"

#include <stdlib.h>
#include <string.h>

#include "grammar.h"
#include "sql/parse/words.h"

enum {
    DEEPEST = 100, // parentheses
    MOST_TOKENS = 1 << 19,
};

// Searches a hint for what changes how the query is run.
static void read_hint(struct statement *s, const struct token *hint) {
    const char *at = hint->at, *end = hint->at + hint->length;
    for (;;) {
        struct token word = lexer_next(&at, end);
        if (word.type == TOKEN_END || word.type == TOKEN_BAD)
            return;
        if (token_is(&word, "ordered") || token_is(&word, "leading"))
            s->ordered = true;
        // The whole statement's result: not that of a subquery.
        if (s->count == 1 && token_is(&word, "result_cache"))
            s->result_cache = 1;
        if (s->count == 1 && token_is(&word, "no_result_cache"))
            s->result_cache = -1;
    }
}

static bool match_parentheses(struct statement *s) {
    unsigned depth = 0;
    for (unsigned i = 0; i < s->count; i++) {
        if (s->tokens[i].code == TK_LP && depth++ == DEEPEST)
            statement_refuse(s, 913, i, "");
        else if (s->tokens[i].code == TK_RP && depth-- == 0)
            statement_refuse(s, 933, i, "");
        if (s->error)
            return false;
    }
    if (depth > 0)
        statement_refuse(s, 907, s->count, "");
    return depth == 0;
}

static void classify(struct statement *s) {
    for (unsigned i = 0; i < s->count; i++)
        s->tokens[i].code = (uint16_t)word_code(&s->tokens[i]);
    statement_work(s, s->count);
}

// (+) becomes one token.
static void join_marks(struct statement *s) {
    static const char mark[] = "(+)";
    unsigned n = 0;
    for (unsigned i = 0; i < s->count; i++, n++) {
        const struct token *at = &s->tokens[i];
        const bool marks = i + 2 < s->count && token_is(at, "(") &&
                           token_is(at + 1, "+") && token_is(at + 2, ")");
        s->tokens[n] = *at;
        if (marks) {
            s->tokens[n].at = mark;
            s->tokens[n].length = sizeof mark - 1;
            i += 2;
        }
    }
    s->tokens[n] = s->tokens[s->count];
    s->count = n;
}

bool parse_read(struct statement *s, const char *text, size_t length) {
    const char *at = text, *end = text + length;
    size_t room = 0;
    for (;;) {
        if (s->count + 1 >= room) {
            room = room ? room * 2 : 64;
            struct token *grown =
                room > MOST_TOKENS
                    ? NULL
                    : realloc(s->tokens, room * sizeof *s->tokens);
            if (!grown) {
                statement_refuse(s, 4030, 0, "");
                return false;
            }
            s->tokens = grown;
        }
        struct token token = lexer_next(&at, end);
        if (token.type == TOKEN_HINT) {
            read_hint(s, &token);
            continue;
        }
        s->tokens[s->count] = token;
        if (token.type == TOKEN_BAD) {
            const bool open = *token.at == '\'' || *token.at == '"';
            statement_refuse(s, open ? 1756 : 911, s->count, "");
            return false;
        }
        if (token.type == TOKEN_END)
            break;
        s->count++;
    }
    while (s->count > 0 && statement_is(s, s->count - 1, ";")) {
        s->tokens[--s->count].type = TOKEN_END;
        s->tokens[s->count].length = 0;
    }
    return true;
}

bool parse_tree(struct statement *s) {
    join_marks(s);
    classify(s);
    placeholders_read(s);
    if (!s->error && match_parentheses(s)) {
        s->tree = statement_take(s, sizeof *s->tree);
        parse_tokens(s);
    }
    return !s->error;
}

void parse_free(struct statement *s) {
    free(s->tokens);
    free(s->bind);
    s->tokens = NULL;
    s->bind = NULL;
    tree_memory_free(&s->memory);
}

static void unexpected_in_block(struct statement *s, unsigned at) {
    if (at == s->count)
        statement_refuse(s, 6550, at, "BEGIN without END;");
    else
        statement_refuse(
            s, 3001, at,
            "PL/SQL other than calls that name or trace a session");
}

// What is missing, by what could have come instead of this token.
static unsigned missing(const struct statement *s, const void *parser,
                        unsigned at) {
    static const struct {
        int accepted;
        unsigned error;
    } rules[] = {
        {TK_NUMBER, 936},     {TK_NO_TABLE, 903}, {TK_NO_INDEX, 953},
        {TK_NO_COLUMN, 1747}, {TK_NO_ALIAS, 923}, {TK_NO_COMMA, 917},
        {TK_NO_LINK, 1729},   {TK_NO_USER, 987},  {TK_NO_PASSWORD, 988},
        {TK_NO_HOST, 922},    {TK_FROM, 923},     {TK_RP, 907},
        {TK_LT, 920},         {TK_EQ, 927},       {0, 933},
        {TK_BY, 924},         {TK_SET, 971},      {TK_VALUES, 926},
        {TK_INTO, 925},       {TK_SELECT, 928},   {TK_THEN, 905},
        {TK_ELSE, 905},       {TK_AND, 905},      {TK_ON, 905},
        {TK_AS, 905},         {TK_NULL, 908},     {TK_LP, 906},
    };
    if (at > 0 && s->tokens[at - 1].code == TK_DOT &&
        parse_accepts(parser, TK_NO_PART))
        return 1747;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (parse_accepts(parser, rules[i].accepted))
            return rules[i].error;
    return 905;
}

void parse_unexpected(struct statement *s, const void *parser, int token) {
    const unsigned at = s->parsed;
    const int first = s->count > 0 ? s->tokens[0].code : 0;
    if (first == TK_BEGIN || first == TK_DECLARE || first == TK_CALL)
        unexpected_in_block(s, at);
    else if (token == TK_SEMI)
        statement_refuse(s, 911, at, "");
    else if (token && parse_accepts(parser, TK_NO_NEW_COLUMN))
        statement_refuse_token(s, 904, at);
    else
        statement_refuse(s, missing(s, parser, at), at, "");
}

int parse_number(struct statement *s, unsigned token) {
    char *end;
    const struct token *number = &s->tokens[token];
    const long value = strtol(number->at, &end, 10);
    if (value < 0 || value > 1000000 || end != number->at + number->length)
        statement_refuse_token(s, 3001, token);
    return (int)value;
}

unsigned parse_bound(struct statement *s, const struct expr *value) {
    if (value->kind != EXPR_NUMBER || value->negative)
        statement_refuse(s, 3001, value->from, "such a window");
    return value->to - 1;
}

void parse_check_type(struct statement *s, const struct type_name *type) {
    static const char *const known[] = {
        "number",    "decimal",      "numeric",       "integer",
        "int",       "smallint",     "varchar2",      "varchar",
        "date",      "clob",         "blob",          "raw",
        "timestamp", "binary_float", "binary_double", NULL};
    bool found = type->interval;
    for (const char *const *k = known; *k; k++)
        found = found || statement_is(s, type->from, *k);
    if (!found || type->zoned)
        statement_refuse_token(s, 3001, type->from);
}

struct query *parse_end_query(struct statement *s, struct query *body,
                              struct with *with, struct order_terms order,
                              struct row_limit limit) {
    (void)s;
    body->with = with;
    body->limit = limit;
    if (body->set)
        body->order = order;
    else
        body->first->order = order;
    return body;
}
