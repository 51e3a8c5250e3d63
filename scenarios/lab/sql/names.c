// SPDX-License-Identifier: GPL-2.0-or-later
// Names, and which table one means.
#define _GNU_SOURCE
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "sql/dictionary_views.h"
#include "sql/known_columns.h"
#include "sql/source.h"

bool is_name(const struct translator *t, size_t at) {
    return at < t->count && (t->tokens[at].type == TOKEN_WORD ||
                             t->tokens[at].type == TOKEN_QUOTED);
}

bool is_keyword(const struct translator *t, size_t at) {
    static const char *const words[] = {
        "select",  "distinct",  "unique", "all",     "from",      "where",
        "and",     "or",        "not",    "between", "in",        "like",
        "is",      "when",      "then",   "else",    "end",       "having",
        "by",      "on",        "as",     "set",     "values",    "order",
        "group",   "asc",       "desc",   "exists",  "any",       "some",
        "escape",  "with",      "union",  "minus",   "intersect", "into",
        "over",    "partition", "join",   "left",    "right",     "inner",
        "outer",   "cross",     "full",   "using",   "nulls",     "default",
        "connect", "start",     "for",    "rows",    "range",     "fetch",
        "natural", "null"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is(t, at, words[i]))
            return true;
    return false;
}

char letter(const struct token *name, size_t i) {
    return name->type == TOKEN_QUOTED
               ? name->at[i]
               : (char)toupper((unsigned char)name->at[i]);
}

bool spells(const struct token *token, const char *name) {
    if (strlen(name) != token->length)
        return false;
    for (size_t i = 0; i < token->length; i++)
        if (letter(token, i) != name[i])
            return false;
    return true;
}

bool equal_names(const struct token *a, const struct token *b) {
    if (a->length != b->length)
        return false;
    for (size_t i = 0; i < a->length; i++)
        if (letter(a, i) != letter(b, i))
            return false;
    return true;
}

void spell(const struct token *token, char to[LONGEST_NAME + 1]) {
    size_t n = token->length < LONGEST_NAME ? token->length : LONGEST_NAME;
    for (size_t i = 0; i < n; i++)
        to[i] = letter(token, i);
    to[n] = '\0';
}

static void say_quoted(struct translator *t, const struct token *name) {
    if (name->length >= 7 && strncasecmp(name->at, "sqlite_", 7) == 0)
        refuse(t, 942, "");
    if (name->length == 0)
        refuse(t, 1741, "");
    if (name->length > LONGEST_NAME)
        refuse(t, 972, "");
    say(t, "\"");
    for (size_t i = 0; i < name->length; i++) {
        char c = letter(name, i);
        say_part(t, &c, 1);
    }
    say(t, "\"");
}

void say_name(struct translator *t, size_t at) {
    if (!is_name(t, at)) {
        refuse(t, 903, "");
        return;
    }
    say_quoted(t, &t->tokens[at]);
}

void say_names(struct translator *t, size_t *at, size_t to) {
    size_t last = *at;
    while (last + 2 < to && is(t, last + 1, ".") && is_name(t, last + 2))
        last += 2;
    const struct token *name = &t->tokens[last];
    for (size_t part = *at; part <= last; part += 2)
        if (is_reserved(t, part))
            refuse(t, last > *at ? 1747 : 936, "");
    // SQLite's own names for a row's number.
    if (spells(name, "ROWID"))
        refuse(t, 3001, "ROWID");
    const bool other = spells(name, "OID") || spells(name, "_ROWID_");
    if ((other && !is_known(t, name)) || differs_in_case(t, name))
        refuse_token(t, 904, last);
    for (; *at <= last; *at += 2) {
        say_quoted(t, &t->tokens[*at]);
        if (*at < last)
            say(t, ".");
    }
    *at = last + 1;
}

// SYS owns the fixed views too, and some know them by their tables' names,
// which have an underscore: V_$SESSION.
static void say_of_sys(struct translator *t, const struct token *name) {
    const bool global = toupper((unsigned char)name->at[0]) == 'G';
    const char *v = name->at + global;
    const size_t length = name->length - global;
    bool table = length > 3 && strncasecmp(v, "v_$", 3) == 0;
    if (!table) {
        bool fixed = (length > 2 && strncasecmp(v, "v$", 2) == 0) ||
                     spells(name, "DUAL") ||
                     spells(name, "NLS_SESSION_PARAMETERS");
        char upper[LONGEST_NAME + 1];
        spell(name, upper);
        say(t, fixed                       ? "main."
               : is_dictionary_view(upper) ? "temp."
                                           : "\"SYS\".");
        say_quoted(t, name);
        return;
    }
    say(t, global ? "main.\"GV" : "main.\"V");
    for (size_t i = 2; i < length; i++) {
        char c = (char)toupper((unsigned char)v[i]);
        say_part(t, &c, 1);
    }
    say(t, "\"");
}

// Which of the queries in WITH has this name, the innermost first; -1: none.
static int with_named(const struct translator *t, size_t name) {
    for (int i = (int)t->withs - 1; i >= 0; i--)
        if (equal_names(&t->tokens[t->with[i]], &t->tokens[name]))
            return i;
    return -1;
}

// Whether the name will be a query's, and is not yet one here.
static bool is_with_later(const struct translator *t, size_t name) {
    for (size_t i = 1; i + 1 < t->count; i++)
        if (is(t, i + 1, "as") && is_name(t, i) &&
            equal_names(&t->tokens[i], &t->tokens[name]))
            return true;
    return false;
}

void say_table_name(struct translator *t, size_t *at, size_t to) {
    const bool owned = *at + 2 < to && is(t, *at + 1, ".");
    say(t, " ");
    const size_t name = owned ? *at + 2 : *at;
    if (!is_name(t, name) || is_keyword(t, name) || !may_be_named(t, name)) {
        refuse(t, 903, "");
        return;
    }
    *at = name + 1;
    const int with = owned ? -1 : with_named(t, name);
    const enum table_owner owner =
        with >= 0 || !t->catalog ? OTHERS_TABLE : owner_of(t, name, owned);
    if (*at < to && is(t, *at, "@")) {
        refuse(t, 2019, "");
    } else if (with >= 0) {
        add_source(t, t->with_source[with]);
        say_quoted(t, &t->tokens[name]);
    } else if (owner == NO_TABLE) {
        refuse(t, 942, "");
    } else if (owner == OWN_TABLE) {
        say(t, t->own_schema);
        say(t, ".");
        say_quoted(t, &t->tokens[name]);
    } else if (owner == OTHERS_TABLE && t->catalog && is_with_later(t, name)) {
        say_of_sys(t, &t->tokens[name]);
    } else if (owned && is(t, name - 2, "sys")) {
        say_of_sys(t, &t->tokens[name]);
    } else if (owned) {
        size_t first = name - 2;
        say_quoted(t, &t->tokens[first]);
        say(t, ".");
        say_quoted(t, &t->tokens[name]);
    } else {
        const struct token *token = &t->tokens[name];
        const bool view =
            (token->length > 3 && strncasecmp(token->at, "v_$", 3) == 0) ||
            (token->length > 4 && strncasecmp(token->at, "gv_$", 4) == 0);
        if (view)
            say_of_sys(t, token);
        else
            say_quoted(t, token);
    }
}
