// SPDX-License-Identifier: GPL-2.0-or-later
// Names, and the tables that they denote.
#define _GNU_SOURCE
#include <ctype.h>
#include <sqlite3.h>
#include <string.h>
#include <strings.h>

#include "sql/dictionary_views.h"
#include "sql/known_columns.h"
#include "sql/source.h"

bool source_is_name(const struct translator *t, size_t at) {
    return at < t->count && (t->tokens[at].type == TOKEN_WORD ||
                             t->tokens[at].type == TOKEN_QUOTED);
}

bool source_is_keyword(const struct translator *t, size_t at) {
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
        if (source_is(t, at, words[i]))
            return true;
    return false;
}

char name_letter(const struct token *name, size_t i) {
    return name->type == TOKEN_QUOTED
               ? name->at[i]
               : (char)toupper((unsigned char)name->at[i]);
}

bool name_spells(const struct token *token, const char *name) {
    if (strlen(name) != token->length)
        return false;
    for (size_t i = 0; i < token->length; i++)
        if (name_letter(token, i) != name[i])
            return false;
    return true;
}

bool name_equals(const struct token *a, const struct token *b) {
    if (a->length != b->length)
        return false;
    for (size_t i = 0; i < a->length; i++)
        if (name_letter(a, i) != name_letter(b, i))
            return false;
    return true;
}

void name_spell(const struct token *token, char to[LONGEST_NAME + 1]) {
    size_t n = token->length < LONGEST_NAME ? token->length : LONGEST_NAME;
    for (size_t i = 0; i < n; i++)
        to[i] = name_letter(token, i);
    to[n] = '\0';
}

static void emit_quoted(struct translator *t, const struct token *name) {
    if (name->length >= 7 && strncasecmp(name->at, "sqlite_", 7) == 0)
        source_refuse(t, 942, "");
    if (name->length == 0)
        source_refuse(t, 1741, "");
    if (name->length > LONGEST_NAME)
        source_refuse(t, 972, "");
    emit_text(t, "\"");
    for (size_t i = 0; i < name->length; i++) {
        char c = name_letter(name, i);
        emit_bytes(t, &c, 1);
    }
    emit_text(t, "\"");
}

void emit_name(struct translator *t, size_t at) {
    if (!source_is_name(t, at)) {
        source_refuse(t, 903, "");
        return;
    }
    emit_quoted(t, &t->tokens[at]);
}

void emit_qualified_name(struct translator *t, size_t *at, size_t to) {
    size_t last = *at;
    while (last + 2 < to && source_is(t, last + 1, ".") &&
           source_is_name(t, last + 2))
        last += 2;
    const struct token *name = &t->tokens[last];
    for (size_t part = *at; part <= last; part += 2)
        if (source_is_reserved(t, part))
            source_refuse(t, last > *at ? 1747 : 936, "");
    // SQLite's own names of the row number.
    if (name_spells(name, "ROWID"))
        source_refuse(t, 3001, "ROWID");
    const bool other = name_spells(name, "OID") || name_spells(name, "_ROWID_");
    if ((other && !name_is_known_column(t, name)) ||
        name_differs_in_case(t, name))
        source_refuse_token(t, 904, last);
    for (; *at <= last; *at += 2) {
        emit_quoted(t, &t->tokens[*at]);
        if (*at < last)
            emit_text(t, ".");
    }
    *at = last + 1;
}

// SYS also owns the fixed views, and some statements use the names of their
// underlying views, which have an underscore: V_$SESSION.
static void emit_of_sys(struct translator *t, const struct token *name) {
    const bool global = toupper((unsigned char)name->at[0]) == 'G';
    const char *v = name->at + global;
    const size_t length = name->length - global;
    bool table = length > 3 && strncasecmp(v, "v_$", 3) == 0;
    if (!table) {
        bool fixed = (length > 2 && strncasecmp(v, "v$", 2) == 0) ||
                     name_spells(name, "DUAL") ||
                     name_spells(name, "NLS_SESSION_PARAMETERS");
        emit_text(t, fixed ? "main." : "\"SYS\".");
        emit_quoted(t, name);
        return;
    }
    emit_text(t, global ? "main.\"GV" : "main.\"V");
    for (size_t i = 2; i < length; i++) {
        char c = (char)toupper((unsigned char)v[i]);
        emit_bytes(t, &c, 1);
    }
    emit_text(t, "\"");
}

// In the place of a view stands its query, which is never what a statement
// changes.
static void emit_view(struct translator *t, size_t name, size_t to) {
    char spelled[LONGEST_NAME + 1];
    const bool changed =
        name < 5 && !source_is(t, 0, "select") && !source_is(t, 0, "with");
    const bool alias = name + 1 < to && source_is_name(t, name + 1) &&
                       !source_is_keyword(t, name + 1);
    if (changed) {
        source_refuse(t, 1031, "");
        return;
    }
    name_spell(&t->tokens[name], spelled);
    char *query = dictionary_view_query(spelled, t->own_schema);
    if (query)
        emit_text(t, query);
    else
        source_refuse(t, 4030, "");
    sqlite3_free(query);
    if (!alias) {
        emit_text(t, " AS ");
        emit_quoted(t, &t->tokens[name]);
    }
}

// The index of the WITH query of this name, innermost first; -1 if there is
// none.
static int with_named(const struct translator *t, size_t name) {
    for (int i = (int)t->withs - 1; i >= 0; i--)
        if (name_equals(&t->tokens[t->with[i]], &t->tokens[name]))
            return i;
    return -1;
}

// Whether a WITH clause defines the name, though not yet at this point.
static bool is_with_later(const struct translator *t, size_t name) {
    for (size_t i = 1; i + 1 < t->count; i++)
        if (source_is(t, i + 1, "as") && source_is_name(t, i) &&
            name_equals(&t->tokens[i], &t->tokens[name]))
            return true;
    return false;
}

void emit_table_name(struct translator *t, size_t *at, size_t to) {
    const bool owned = *at + 2 < to && source_is(t, *at + 1, ".");
    emit_text(t, " ");
    const size_t name = owned ? *at + 2 : *at;
    if (!source_is_name(t, name) || source_is_keyword(t, name) ||
        !source_may_name(t, name)) {
        source_refuse(t, 903, "");
        return;
    }
    *at = name + 1;
    if (*at < to && source_is(t, *at, "@")) {
        emit_remote_table(t, name, owned, at, to);
        return;
    }
    const int with = owned ? -1 : with_named(t, name);
    t->local_tables += with < 0;
    const enum table_owner owner = with >= 0 || !t->catalog
                                       ? OTHERS_TABLE
                                       : table_owner_at(t, name, owned);
    if (with >= 0) {
        outputs_add_source(t, t->with_source[with]);
        emit_quoted(t, &t->tokens[name]);
    } else if (owner == NO_TABLE) {
        source_refuse(t, 942, "");
    } else if (owner == OWN_TABLE) {
        emit_text(t, t->own_schema);
        emit_text(t, ".");
        emit_quoted(t, &t->tokens[name]);
    } else if (owner == DICTIONARY_VIEW) {
        emit_view(t, name, to);
    } else if (owner == OTHERS_TABLE && t->catalog && is_with_later(t, name)) {
        emit_of_sys(t, &t->tokens[name]);
    } else if (owned && source_is(t, name - 2, "sys")) {
        emit_of_sys(t, &t->tokens[name]);
    } else if (owned) {
        size_t first = name - 2;
        emit_quoted(t, &t->tokens[first]);
        emit_text(t, ".");
        emit_quoted(t, &t->tokens[name]);
    } else {
        const struct token *token = &t->tokens[name];
        const bool view =
            (token->length > 3 && strncasecmp(token->at, "v_$", 3) == 0) ||
            (token->length > 4 && strncasecmp(token->at, "gv_$", 4) == 0);
        if (view)
            emit_of_sys(t, token);
        else
            emit_quoted(t, token);
    }
}
