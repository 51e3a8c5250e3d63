// SPDX-License-Identifier: GPL-2.0-or-later
// Names of columns and tables, and the types of the columns that a statement
// can mean: those of all tables that it names, whatever their scope.
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sql/column_type.h"
#include "sql/dictionary_views.h"
#include "sql/source.h"

enum { LONGEST_NAME = 128, MOST_KNOWN = 5000, LOOKED_UP = 0x80 };

struct known_column {
    char name[LONGEST_NAME + 1];
    enum operand_type type;
    bool alias; // of something else, too
};

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

static char letter(const struct token *name, size_t i) {
    return name->type == TOKEN_QUOTED
               ? name->at[i]
               : (char)toupper((unsigned char)name->at[i]);
}

static bool spells(const struct token *token, const char *name) {
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

enum operand_type declared_type(const char *declared, bool own) {
    struct column_type type = column_type_of(declared);
    switch (type.class) {
    case CLASS_NUMBER: // SYS has only small ones
        return !own || column_type_is_small(&type) ? OPERAND_SMALL
                                                   : OPERAND_NUMBER;
    case CLASS_TEXT:
        return OPERAND_TEXT;
    case CLASS_DATE:
        return OPERAND_DATE;
    case CLASS_TIMESTAMP:
        return OPERAND_TIMESTAMP;
    case CLASS_RAW:
        return OPERAND_RAW;
    default:
        return OPERAND_UNKNOWN;
    }
}

static void take_column(void *to, const char *name, const char *declared,
                        bool own) {
    struct translator *t = to;
    const enum operand_type type = declared_type(declared, own);
    for (size_t i = 0; i < t->columns; i++)
        if (strcmp(t->column[i].name, name) == 0) {
            if (t->column[i].type != type)
                t->column[i].type = OPERAND_UNKNOWN;
            return;
        }
    struct known_column *grown =
        t->columns < MOST_KNOWN
            ? realloc(t->column, (t->columns + 1) * sizeof *t->column)
            : NULL;
    if (!grown) {
        refuse(t, 4030, "");
        return;
    }
    t->column = grown;
    struct known_column *made = &t->column[t->columns++];
    *made = (struct known_column){.type = type};
    snprintf(made->name, sizeof made->name, "%s", name);
}

static void spell(const struct token *token, char *to) {
    size_t n = token->length < LONGEST_NAME ? token->length : LONGEST_NAME;
    for (size_t i = 0; i < n; i++)
        to[i] = letter(token, i);
    to[n] = '\0';
}

// A table's name comes after one of these, or after its owner's.
static bool table_may_follow(const struct translator *t, size_t at) {
    return is(t, at, "from") || is(t, at, "join") || is(t, at, "into") ||
           is(t, at, "update") || is(t, at, "delete") || is(t, at, ",");
}

static void read_table(struct translator *t, size_t at) {
    char name[LONGEST_NAME + 1], owner[LONGEST_NAME + 1] = "";
    if (is(t, at + 1, ".") && is_name(t, at + 2)) {
        spell(&t->tokens[at], owner);
        at += 2;
    }
    spell(&t->tokens[at], name);
    t->tokens[at].table = LOOKED_UP | t->catalog->table(t->catalog->data, owner,
                                                        name, take_column, t);
}

static bool ends_value(const struct translator *t, size_t at) {
    const struct token *token = &t->tokens[at];
    if (token->type == TOKEN_SIGN)
        return is(t, at, ")") || is(t, at, "*");
    return !is_keyword(t, at) || is(t, at, "end") || is(t, at, "null");
}

// An alias hides a column of the same name, at least somewhere.
static void mark_aliases(struct translator *t) {
    for (size_t i = 1; i < t->count; i++) {
        const bool alias = is_name(t, i) && !is_keyword(t, i) &&
                           (is(t, i - 1, "as") || ends_value(t, i - 1));
        for (size_t j = 0; alias && j < t->columns; j++)
            if (spells(&t->tokens[i], t->column[j].name))
                t->column[j].alias = true;
    }
    // WITH name(columns) AS
    for (size_t i = 0; is(t, 0, "with") && i + 1 < t->count; i++)
        if (is(t, i, "(") && is(t, t->close[i] + 1, "as"))
            for (size_t at = i + 1; at < t->close[i]; at++)
                for (size_t j = 0; j < t->columns; j++)
                    if (spells(&t->tokens[at], t->column[j].name))
                        t->column[j].alias = true;
}

void names_read(struct translator *t) {
    if (!t->catalog)
        return;
    for (size_t i = 1; i < t->count && !t->result->error; i++)
        if (is_name(t, i) && table_may_follow(t, i - 1))
            read_table(t, i);
    mark_aliases(t);
}

static const struct known_column *known(const struct translator *t,
                                        const struct token *name) {
    for (size_t i = 0; i < t->columns; i++)
        if (spells(name, t->column[i].name))
            return &t->column[i];
    return NULL;
}

enum operand_type name_type(const struct translator *t, size_t at) {
    const struct known_column *column = known(t, &t->tokens[at]);
    return column && !column->alias ? column->type : OPERAND_UNKNOWN;
}

// SQLite takes names in any case. A name that differs from a column's in
// nothing else is not that column's.
static bool differs_in_case(const struct translator *t,
                            const struct token *name) {
    bool differs = false;
    for (size_t i = 0; i < t->columns; i++) {
        const char *column = t->column[i].name;
        if (spells(name, column) || t->column[i].alias)
            return false;
        differs = differs || (strlen(column) == name->length &&
                              strncasecmp(column, name->at, name->length) == 0);
    }
    return differs;
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
    if ((other && !known(t, name)) || differs_in_case(t, name))
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

static void take_nothing(void *to, const char *column, const char *declared,
                         bool own) {
    (void)to, (void)column, (void)declared, (void)own;
}

// Whose the table is that the name at `at` means.
static enum table_owner owner_of(struct translator *t, size_t at, bool owned) {
    char name[LONGEST_NAME + 1], owner[LONGEST_NAME + 1] = "";
    struct token *token = &t->tokens[at];
    if (owned)
        spell(token - 2, owner);
    spell(token, name);
    if (!token->table)
        token->table = LOOKED_UP | t->catalog->table(t->catalog->data, owner,
                                                     name, take_nothing, NULL);
    return token->table & ~LOOKED_UP;
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

bool columns_order_themselves(const struct translator *t) {
    for (size_t i = 0; i < t->columns; i++)
        if (!orders_itself(t->column[i].type))
            return false;
    return t->columns > 0;
}
