// SPDX-License-Identifier: GPL-2.0-or-later
// Tokens outside the frame of a query block: names, literals, operators,
// binds, subqueries in parentheses.
#define _GNU_SOURCE
#include "sql/source.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static bool any_of(const struct translator *t, size_t at,
                   const char *const *words) {
    for (; *words; words++)
        if (is(t, at, *words))
            return true;
    return false;
}

// Words that mean something to SQLite and nothing to Oracle.
static bool is_sqlite_word(const struct token *name) {
    static const char *const words[] = {
        "autoincrement", "collate",   "deferrable",  "glob",    "indexed",
        "isnull",        "limit",     "match",       "nothing", "notnull",
        "regexp",        "returning", "transaction", NULL};
    for (const char *const *word = words; *word; word++)
        if (token_is(name, *word))
            return true;
    return false;
}

static void say_name(struct translator *t, const struct token *name) {
    bool quote = name->type == TOKEN_QUOTED || is_sqlite_word(name);
    if (name->length >= 7 && strncasecmp(name->at, "sqlite_", 7) == 0)
        refuse(t, 942, "");
    for (size_t i = 0; i < name->length; i++)
        quote = quote || name->at[i] == '#' || name->at[i] == '$';
    if (quote)
        say(t, "\"");
    for (size_t i = 0; i < name->length; i++) {
        char c = name->type == TOKEN_QUOTED
                     ? name->at[i]
                     : (char)toupper((unsigned char)name->at[i]);
        say_part(t, &c, 1);
    }
    if (quote)
        say(t, "\"");
}

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
    for (unsigned i = 0; i < n; i++)
        if (strcmp(result->bind[i].name, result->bind[n].name) == 0) {
            result->bind[n].first = i;
            break;
        }
    return n + 1;
}

static void say_bind(struct translator *t, size_t at) {
    char number[16];
    snprintf(number, sizeof number, "?%u", placeholder(t, at));
    say(t, number);
}

void say_number(struct translator *t, size_t at) {
    enum { MOST_DIGITS = 15, MOST_WHOLE = 18 };
    const struct token *token = &t->tokens[at];
    size_t digits = 0, zeros = 0;
    bool whole = true;
    for (size_t i = 0; i < token->length; i++) {
        const char c = token->at[i];
        if (c == 'e' || c == 'E') {
            whole = false;
            break;
        }
        whole = whole && c != '.';
        if (c == '0')
            zeros += digits > 0;
        else if (isdigit((unsigned char)c)) {
            digits += zeros + 1;
            zeros = 0;
        }
    }
    if (digits > MOST_DIGITS && (!whole || digits + zeros > MOST_WHOLE))
        refuse(t, 3001, "numbers of more than 15 digits");
    say_part(t, token->at, token->length);
}

static size_t say_sign(struct translator *t, size_t at) {
    const struct token *token = &t->tokens[at];
    if (is(t, at, "||")) {
        refuse(t, 936, ""); // one with values on both sides is elsewhere
    } else if (is(t, at, "/")) {
        refuse(t, 936, "");
    } else if (is(t, at, "!=") || is(t, at, "^=")) {
        say(t, "<>");
    } else if (is(t, at, "@")) {
        refuse(t, 2019, "");
    } else if (strchr("(),.+-*<>=", token->at[0]) && !is(t, at, "**") &&
               !is(t, at, "=>")) {
        say_part(t, token->at, token->length);
    } else {
        refuse(t, 911, "");
    }
    return at + 1;
}

// SYS owns the fixed views too, and some know them by their tables' names,
// which have an underscore: V_$SESSION.
static size_t say_sys(struct translator *t, size_t at) {
    const struct token *name = &t->tokens[at + 2];
    const bool global = tolower((unsigned char)name->at[0]) == 'g';
    const char *v = name->at + global;
    const size_t length = name->length - global;
    bool view = length > 2 && strncasecmp(v, "v$", 2) == 0;
    bool table = length > 3 && strncasecmp(v, "v_$", 3) == 0;
    if (view || is(t, at + 2, "dual") ||
        is(t, at + 2, "nls_session_parameters")) {
        say_name(t, name);
    } else if (table) {
        say(t, global ? "\"GV" : "\"V");
        for (size_t i = 2; i < length; i++) {
            char c = (char)toupper((unsigned char)v[i]);
            say_part(t, &c, 1);
        }
        say(t, "\"");
    } else {
        say(t, "SYS.");
        say_name(t, name);
    }
    return at + 3;
}

static size_t say_word(struct translator *t, size_t at, size_t to) {
    static const char *const bare_functions[] = {"sysdate",
                                                 "systimestamp",
                                                 "current_date",
                                                 "localtimestamp",
                                                 "user",
                                                 "uid",
                                                 "current_timestamp",
                                                 "dbtimezone",
                                                 "sessiontimezone",
                                                 NULL};
    static const char *const refused[] = {
        "prior",   "connect", "start",   "pivot",  "unpivot", "model",
        "nextval", "currval", "nocycle", "sample", "merge",   NULL};
    bool part_of_name = at > 0 && is(t, at - 1, ".");
    if (!part_of_name && at + 2 < to && is(t, at, "sys") &&
        is(t, at + 1, ".") && t->tokens[at + 2].type == TOKEN_WORD)
        return say_sys(t, at);
    if (!part_of_name && any_of(t, at, bare_functions)) {
        say_name(t, &t->tokens[at]);
        say(t, "$()");
        return at + 1;
    }
    if (!part_of_name && is(t, at, "rownum")) {
        if (!t->rownum_allowed)
            refuse(t, 3001, "ROWNUM here");
        say(t, "row_number() over ()");
        return at + 1;
    }
    if (!part_of_name && is(t, at, "date") && at + 1 < to &&
        t->tokens[at + 1].type == TOKEN_STRING) {
        say(t, "TO_DATE(");
        say_part(t, t->tokens[at + 1].at, t->tokens[at + 1].length);
        say(t, ",'YYYY-MM-DD')");
        return at + 2;
    }
    if (is(t, at, "minus")) {
        say(t, "EXCEPT");
        return at + 1;
    }
    if (any_of(t, at, refused))
        refuse_token(t, 3001, at);
    say_name(t, &t->tokens[at]);
    return at + 1;
}

static size_t say_parentheses(struct translator *t, size_t at) {
    size_t close = t->close[at];
    if (close == at + 2 && is(t, at + 1, "+")) {
        refuse(t, 3001, "(+)");
        return close + 1;
    }
    say(t, "(");
    if (is(t, at + 1, "select") || is(t, at + 1, "with"))
        say_query(t, at + 1, close);
    else
        say_tokens(t, at + 1, close);
    say(t, ")");
    return close + 1;
}

void say_tokens(struct translator *t, size_t from, size_t to) {
    while (from < to && !t->result->error) {
        const struct token *token = &t->tokens[from];
        const size_t end = arithmetic_end(t, from, to);
        if (end > from) {
            say_arithmetic(t, from, end);
            from = end;
            continue;
        }
        say(t,
            is(t, from, ".") || (from > 0 && is(t, from - 1, ".")) ? "" : " ");
        switch (token->type) {
        case TOKEN_WORD:
            from = say_word(t, from, to);
            break;
        case TOKEN_QUOTED:
            say_name(t, token);
            from++;
            break;
        case TOKEN_BIND:
            say_bind(t, from);
            from++;
            break;
        case TOKEN_STRING: // the empty string is NULL
            if (token->length == 2)
                say(t, "NULL");
            else
                say_part(t, token->at, token->length);
            from++;
            break;
        case TOKEN_NUMBER:
            say_number(t, from);
            from++;
            break;
        case TOKEN_SIGN:
            from =
                is(t, from, "(") ? say_parentheses(t, from) : say_sign(t, from);
            break;
        default:
            refuse(t, 900, "");
        }
    }
}
