// SPDX-License-Identifier: GPL-2.0-or-later
// The text of CREATE TABLE and CREATE INDEX, as JSON. SQLite keeps
// the text that definitions.c and create_as.c have made, so only that is read:
// names are quoted, and the form of an expression in Oracle is the hint behind
// it.
#include <sqlite3.h>
#include <ctype.h>
#include <string.h>

#include "sql/functions/function.h"
#include "sql/parse/lexer.h"
#include "sql/types/view_marks.h"

struct reader {
    const char *at, *end;
    struct token token;
};

static void next(struct reader *r) {
    r->token = lexer_next(&r->at, r->end);
}

static bool is(const struct reader *r, const char *word) {
    return token_is(&r->token, word);
}

static bool take(struct reader *r, const char *word) {
    const bool matches = is(r, word);
    if (matches)
        next(r);
    return matches;
}

static bool at_end(const struct reader *r) {
    return r->token.type == TOKEN_END || r->token.type == TOKEN_BAD;
}

static void put_string(sqlite3_str *to, const char *text, size_t length) {
    sqlite3_str_appendchar(to, 1, '"');
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)text[i];
        if (c < 0x20 || c == '"' || c == '\\')
            sqlite3_str_appendf(to, "\\u%04x", c);
        else
            sqlite3_str_appendchar(to, 1, (char)c);
    }
    sqlite3_str_appendchar(to, 1, '"');
}

static void put_token(sqlite3_str *to, const struct token *token) {
    if (token->type == TOKEN_END)
        sqlite3_str_appendall(to, "null");
    else
        put_string(to, token->at, token->length);
}

static void put_comma(sqlite3_str *to) {
    if (sqlite3_str_length(to) > 0)
        sqlite3_str_appendall(to, ",");
}

// Skips parentheses with their content. Returns the hint behind them, if there
// is one.
static struct token skip_expression(struct reader *r) {
    struct token hint = {.type = TOKEN_END};
    int depth = 0;
    do {
        depth += is(r, "(") - is(r, ")");
        next(r);
    } while (depth > 0 && !at_end(r));
    if (r->token.type == TOKEN_HINT) {
        hint = r->token;
        next(r);
    }
    return hint;
}

// The names in parentheses, or `column` where there are none.
static void put_list(sqlite3_str *to, struct reader *r,
                     const struct token *column) {
    sqlite3_str_appendall(to, "[");
    if (!take(r, "(")) {
        put_token(to, column);
    } else {
        for (bool first = true; !is(r, ")") && !at_end(r); first = false) {
            sqlite3_str_appendall(to, first ? "" : ",");
            put_token(to, &r->token);
            next(r);
            take(r, ",");
        }
        next(r);
    }
    sqlite3_str_appendall(to, "]");
}

// A name of an Oracle text, as the dictionary has it.
static void put_name(sqlite3_str *to, const struct token *token) {
    char name[128];
    size_t n = 0;
    if (token->type == TOKEN_END) {
        sqlite3_str_appendall(to, "null");
        return;
    }
    for (; n < token->length && n < sizeof name; n++)
        name[n] = token->type == TOKEN_WORD
                      ? (char)toupper((unsigned char)token->at[n])
                      : token->at[n];
    put_string(to, name, n);
}

// All names in an Oracle text, in the form that the dictionary has.
static void put_names(sqlite3_str *to, const struct token *text) {
    struct reader r = {text->at, text->at + text->length, {0}};
    bool first = true;
    sqlite3_str_appendall(to, "[");
    for (next(&r); text->type != TOKEN_END && !at_end(&r); next(&r)) {
        if (r.token.type != TOKEN_QUOTED && r.token.type != TOKEN_WORD)
            continue;
        sqlite3_str_appendall(to, first ? "" : ",");
        put_name(to, &r.token);
        first = false;
    }
    sqlite3_str_appendall(to, "]");
}

// The expression of CHECK from behind its parenthesis, as SQLite's messages
// have it: up to the parenthesis before the hint.
static void put_native(sqlite3_str *to, const char *from, const char *hint) {
    while (hint > from && hint[-1] != ')')
        hint--;
    hint -= hint > from;
    while (from < hint && isspace((unsigned char)*from))
        from++;
    while (hint > from && isspace((unsigned char)hint[-1]))
        hint--;
    put_string(to, from, (size_t)(hint - from));
}

static void begin_constraint(sqlite3_str *to, struct token *name, char type) {
    put_comma(to);
    sqlite3_str_appendall(to, "{\"name\":");
    put_token(to, name);
    sqlite3_str_appendf(to, ",\"type\":\"%c\",\"columns\":", type);
    *name = (struct token){.type = TOKEN_END};
}

struct table_text {
    sqlite3_str *columns, *constraints;
};

// A column's default and constraints, or a constraint of the table.
static void read_constraints(struct reader *r, struct table_text *text,
                             const struct token *column,
                             struct token *defaulted, bool *required) {
    sqlite3_str *to = text->constraints;
    struct token name = {.type = TOKEN_END};
    while (!is(r, ",") && !is(r, ")") && !at_end(r)) {
        if (take(r, "constraint")) {
            name = r->token;
            next(r);
        } else if (take(r, "default")) {
            *defaulted = skip_expression(r);
        } else if (take(r, "not")) {
            next(r);
            *required = true;
            if (take(r, "on")) { // the primary key's, see emit/definitions.c
                next(r);
                next(r);
                continue;
            }
            begin_constraint(to, &name, 'C');
            sqlite3_str_appendall(to, "[");
            put_token(to, column);
            sqlite3_str_appendall(to, "],\"condition\":\"\\\"");
            sqlite3_str_append(to, column->at, (int)column->length);
            sqlite3_str_appendall(to, "\\\" IS NOT NULL\"}");
        } else if (take(r, "check")) {
            const char *native = r->at;
            const struct token condition = skip_expression(r);
            begin_constraint(to, &name, 'C');
            put_names(to, &condition);
            sqlite3_str_appendall(to, ",\"condition\":");
            put_token(to, &condition);
            sqlite3_str_appendall(to, ",\"native\":");
            put_native(to, native, condition.at);
            sqlite3_str_appendall(to, "}");
        } else if (is(r, "primary") || is(r, "unique")) {
            const bool primary = take(r, "primary");
            next(r);
            begin_constraint(to, &name, primary ? 'P' : 'U');
            put_list(to, r, column);
            sqlite3_str_appendall(to, "}");
        } else {
            next(r);
        }
    }
}

static void read_column(struct reader *r, struct table_text *text) {
    const struct token column = r->token;
    struct token defaulted = {.type = TOKEN_END};
    bool required = false;
    next(r);
    const char *type = r->token.at, *type_end = type;
    while (r->token.type == TOKEN_WORD && !is(r, "default") && !is(r, "not") &&
           !is(r, "constraint") && !is(r, "primary") && !is(r, "unique") &&
           !is(r, "check")) {
        type_end = r->token.at + r->token.length;
        next(r);
        if (is(r, "(")) {
            skip_expression(r);
            type_end = memchr(type_end, ')', (size_t)(r->end - type_end));
            type_end = type_end ? type_end + 1 : r->end;
        }
    }
    read_constraints(r, text, &column, &defaulted, &required);
    put_comma(text->columns);
    sqlite3_str_appendall(text->columns, "{\"name\":");
    put_token(text->columns, &column);
    sqlite3_str_appendall(text->columns, ",\"type\":");
    put_string(text->columns, type, (size_t)(type_end - type));
    sqlite3_str_appendall(text->columns, ",\"default\":");
    put_token(text->columns, &defaulted);
    sqlite3_str_appendf(text->columns, ",\"required\":%d}", required);
}

static struct reader begin(sqlite3_value *value) {
    const char *sql = (const char *)sqlite3_value_text(value);
    const size_t length = sql ? (size_t)sqlite3_value_bytes(value) : 0;
    struct reader r = {sql, sql + length, {0}};
    next(&r);
    while (!at_end(&r) && !is(&r, "("))
        next(&r);
    return r;
}

static void finish(sqlite3_context *context, sqlite3_str *text) {
    char *result = sqlite3_str_finish(text);
    if (result)
        sqlite3_result_text(context, result, -1, sqlite3_free);
    else
        sqlite3_result_error_nomem(context);
}

// {"columns": [{"name", "type", "default", "required"}], "constraints":
// [{"name", "type", "columns", "condition"}]}. Missing parts are null.
static void table_text(sqlite3_context *context, int n, sqlite3_value **value) {
    struct reader r = begin(value[0]);
    struct table_text text = {sqlite3_str_new(NULL), sqlite3_str_new(NULL)};
    (void)n;
    next(&r);
    if (r.token.type == TOKEN_HINT) // its annotation
        next(&r);
    while (!at_end(&r)) {
        const struct token none = {.type = TOKEN_END};
        struct token defaulted;
        bool required;
        if (r.token.type == TOKEN_QUOTED)
            read_column(&r, &text);
        else
            read_constraints(&r, &text, &none, &defaulted, &required);
        if (!take(&r, ","))
            break;
    }
    char *columns = sqlite3_str_finish(text.columns);
    char *constraints = sqlite3_str_finish(text.constraints);
    sqlite3_str *all = sqlite3_str_new(NULL);
    sqlite3_str_appendf(all, "{\"columns\":[%s],\"constraints\":[%s]}",
                        columns ? columns : "", constraints ? constraints : "");
    sqlite3_free(columns);
    sqlite3_free(constraints);
    finish(context, all);
}

// The names of an index's columns.
static void index_text(sqlite3_context *context, int n, sqlite3_value **value) {
    struct reader r = begin(value[0]);
    sqlite3_str *text = sqlite3_str_new(NULL);
    (void)n;
    put_list(text, &r, &r.token);
    finish(context, text);
}

// The text behind AS, which is the query of a view.
static struct token query_of(const struct token *literal) {
    struct reader r = {literal->at + 1, literal->at + literal->length - 1, {0}};
    int depth = 0;
    for (next(&r); !at_end(&r) && !(depth == 0 && is(&r, "as")); next(&r))
        depth += is(&r, "(") - is(&r, ")");
    while (r.at < r.end && isspace((unsigned char)*r.at))
        r.at++;
    return (struct token){
        .type = TOKEN_WORD, .at = r.at, .length = (size_t)(r.end - r.at)};
}

// Text of a literal, in which quotes are doubled.
static void put_unquoted(sqlite3_str *to, const struct token *text) {
    char *plain = sqlite3_malloc64(text->length + 1);
    size_t length = 0;
    for (size_t i = 0; plain && i < text->length; i++) {
        plain[length++] = text->at[i];
        i += text->at[i] == '\'';
    }
    put_string(to, plain, length);
    sqlite3_free(plain);
}

static void put_view_columns(sqlite3_str *to, struct reader *names,
                             struct reader *types) {
    while (take(names, ",") && take(types, ",")) {
        const struct token *type = &types->token;
        const char *colon = memchr(type->at, ':', type->length);
        put_comma(to);
        sqlite3_str_appendall(to, "{\"name\":");
        put_token(to, &names->token);
        sqlite3_str_appendall(to, ",\"type\":");
        put_string(to, type->at + 1,
                   colon ? (size_t)(colon - type->at) - 1 : 0);
        sqlite3_str_appendall(to, ",\"default\":null,\"required\":0}");
        next(names);
        next(types);
    }
}

// {"kind": "VIEW", "SYNONYM" or "CLUSTER", "text", "columns": [{"name", "type",
// "default", "required"}]} of the views that emit/views.c and emit/clusters.c
// have made; a synonym's "text" is the statement, a view's its query, a
// cluster's its options.
static void view_text(sqlite3_context *context, int n, sqlite3_value **value) {
    struct reader names = begin(value[0]), r = names;
    sqlite3_str *all = sqlite3_str_new(NULL);
    sqlite3_str *columns = sqlite3_str_new(NULL);
    (void)n;
    next(&names);
    const struct token mark = names.token;
    const size_t kind = sizeof "ORACLE$" - 1; // begins there
    const bool view = mark.length == sizeof VIEW_MARK - 1;
    next(&names);
    while (!at_end(&r) && r.token.type != TOKEN_STRING)
        next(&r);
    const struct token definition = r.token;
    next(&r);
    put_view_columns(columns, &names, &r);
    struct token text = {.at = definition.at + 1,
                         .length = definition.length - 2};
    if (view)
        text = query_of(&definition);
    sqlite3_str_appendf(all, "{\"kind\":\"%.*s\",\"text\":",
                        (int)(mark.length - kind), mark.at + kind);
    put_unquoted(all, &text);
    char *result = sqlite3_str_finish(columns);
    sqlite3_str_appendf(all, ",\"columns\":[%s]}", result ? result : "");
    sqlite3_free(result);
    finish(context, all);
}

// The content of CREATE SYNONYM: {"owner", "name", "link"}.
static void synonym_text(sqlite3_context *context, int n,
                         sqlite3_value **value) {
    const char *text = (const char *)sqlite3_value_text(value[0]);
    struct reader r = {
        text, text ? text + sqlite3_value_bytes(value[0]) : text, {0}};
    const struct token none = {.type = TOKEN_END};
    struct token first, second = none;
    sqlite3_str *all = sqlite3_str_new(NULL), *link = sqlite3_str_new(NULL);
    (void)n;
    for (next(&r); !at_end(&r) && !is(&r, "for"); next(&r))
        ;
    next(&r);
    first = r.token;
    next(&r);
    if (take(&r, ".")) {
        second = r.token;
        next(&r);
    }
    for (next(&r); !at_end(&r); next(&r))
        sqlite3_str_append(link, r.token.at, (int)r.token.length);
    const bool owned = second.type != TOKEN_END;
    sqlite3_str_appendall(all, "{\"owner\":");
    put_name(all, owned ? &first : &none);
    sqlite3_str_appendall(all, ",\"name\":");
    put_name(all, owned ? &second : &first);
    char *name = sqlite3_str_finish(link);
    const struct token definition = {.type = name ? TOKEN_WORD : TOKEN_END,
                                     .at = name,
                                     .length = name ? strlen(name) : 0};
    sqlite3_str_appendall(all, ",\"link\":");
    put_name(all, &definition);
    sqlite3_str_appendall(all, "}");
    sqlite3_free(name);
    finish(context, all);
}

const struct function dictionary_functions[] = {
    {"TABLE_TEXT$", 1, 1, OPERAND_UNKNOWN, FUNCTION_INTERNAL, table_text},
    {"VIEW_TEXT$", 1, 1, OPERAND_UNKNOWN, FUNCTION_INTERNAL, view_text},
    {"SYNONYM_TEXT$", 1, 1, OPERAND_UNKNOWN, FUNCTION_INTERNAL, synonym_text},
    {"INDEX_TEXT$", 1, 1, OPERAND_UNKNOWN, FUNCTION_INTERNAL, index_text},
    {NULL},
};
