// SPDX-License-Identifier: GPL-2.0-or-later
// The columns of all tables that a statement names, regardless of scope.
#include "sql/known_columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sql/column_type.h"
#include "sql/source.h"

enum {
    MOST_KNOWN = 5000,
    UNITS_PER_TABLE = 10000, // SQLite prepares a query of it
};

struct known_column {
    char name[LONGEST_NAME + 1];
    enum operand_type type;
    bool alias; // also the alias of another expression
};

enum operand_type operand_type_of_declaration(const char *declared, bool own) {
    struct column_type type = column_type_of(declared);
    switch (type.class) {
    case CLASS_NUMBER: // SYS's numbers are all small
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
    case CLASS_INTERVAL_YM:
        return OPERAND_INTERVAL_YM;
    case CLASS_INTERVAL_DS:
        return OPERAND_INTERVAL_DS;
    case CLASS_BINARY_FLOAT:
        return OPERAND_BINARY_FLOAT;
    case CLASS_BINARY_DOUBLE:
        return OPERAND_BINARY_DOUBLE;
    case CLASS_CLOB:
        return OPERAND_CLOB;
    case CLASS_BLOB:
        return OPERAND_BLOB;
    default:
        return OPERAND_UNKNOWN;
    }
}

void known_columns_take(void *to, const char *name, const char *declared,
                        bool own) {
    struct translator *t = to;
    const enum operand_type type = operand_type_of_declaration(declared, own);
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
        source_refuse(t, 4030, "");
        return;
    }
    t->column = grown;
    struct known_column *made = &t->column[t->columns++];
    *made = (struct known_column){.type = type};
    snprintf(made->name, sizeof made->name, "%s", name);
}

// A table's name follows one of these words, or its owner.
static bool table_may_follow(const struct translator *t, size_t at) {
    return source_is(t, at, "from") || source_is(t, at, "join") ||
           source_is(t, at, "into") || source_is(t, at, "update") ||
           source_is(t, at, "delete") || source_is(t, at, ",");
}

static void read_table(struct translator *t, size_t at) {
    char name[LONGEST_NAME + 1], owner[LONGEST_NAME + 1] = "";
    const bool owned = source_is(t, at + 1, ".") && source_is_name(t, at + 2);
    if (owned) {
        name_spell(&t->tokens[at], owner);
        at += 2;
    }
    if (source_is(t, at + 1, "@")) {
        remote_table_read(t, at, owned);
        return;
    }
    name_spell(&t->tokens[at], name);
    source_work(t, UNITS_PER_TABLE);
    t->tokens[at].table =
        TABLE_LOOKED_UP |
        t->catalog->table(t->catalog->data, owner, name, known_columns_take, t);
}

static bool ends_value(const struct translator *t, size_t at) {
    const struct token *token = &t->tokens[at];
    if (token->type == TOKEN_SIGN)
        return source_is(t, at, ")") || source_is(t, at, "*");
    return !source_is_keyword(t, at) || source_is(t, at, "end") ||
           source_is(t, at, "null");
}

// An alias hides a column of the same name, at least in part of the statement.
static void mark_aliases(struct translator *t) {
    for (size_t i = 1; i < t->count && !t->result->error; i++) {
        const bool alias = source_is_name(t, i) && !source_is_keyword(t, i) &&
                           (source_is(t, i - 1, "as") || ends_value(t, i - 1));
        source_work(t, alias ? t->columns : 0);
        for (size_t j = 0; alias && j < t->columns; j++)
            if (name_spells(&t->tokens[i], t->column[j].name))
                t->column[j].alias = true;
    }
    // WITH name(columns) AS
    for (size_t i = 0; source_is(t, 0, "with") && i + 1 < t->count; i++)
        if (source_is(t, i, "(") && source_is(t, t->close[i] + 1, "as"))
            for (size_t at = i + 1; at < t->close[i]; at++)
                for (size_t j = 0; j < t->columns; j++)
                    if (name_spells(&t->tokens[at], t->column[j].name))
                        t->column[j].alias = true;
}

// In a query around a set, a column's name means the values of all its queries,
// which may be numbers of any form.
static void widen_in_sets(struct translator *t) {
    int depth = 0;
    bool nested = false;
    for (size_t i = 0; i < t->count; i++) {
        depth += source_is(t, i, "(") - source_is(t, i, ")");
        nested = nested || (depth > 0 && (source_is(t, i, "union") ||
                                          source_is(t, i, "intersect") ||
                                          source_is(t, i, "minus")));
    }
    for (size_t i = 0; nested && i < t->columns; i++)
        if (t->column[i].type == OPERAND_SMALL)
            t->column[i].type = OPERAND_NUMBER;
}

void names_read(struct translator *t) {
    if (!t->catalog)
        return;
    for (size_t i = 1; i < t->count && !t->result->error; i++)
        if (source_is_name(t, i) && table_may_follow(t, i - 1))
            read_table(t, i);
    mark_aliases(t);
    widen_in_sets(t);
}

static const struct known_column *known(const struct translator *t,
                                        const struct token *name) {
    source_work(t, t->columns);
    for (size_t i = 0; i < t->columns; i++)
        if (name_spells(name, t->column[i].name))
            return &t->column[i];
    return NULL;
}

bool name_is_known_column(const struct translator *t,
                          const struct token *name) {
    return known(t, name);
}

enum operand_type operand_type_of_name(const struct translator *t, size_t at) {
    const struct known_column *column = known(t, &t->tokens[at]);
    return column && !column->alias ? column->type : OPERAND_UNKNOWN;
}

// SQLite compares names without case. A name that differs from a column's only
// in case is not that column's.
bool name_differs_in_case(const struct translator *t,
                          const struct token *name) {
    bool differs = false;
    for (size_t i = 0; i < t->columns; i++) {
        const char *column = t->column[i].name;
        if (name_spells(name, column) || t->column[i].alias)
            return false;
        differs = differs || (strlen(column) == name->length &&
                              strncasecmp(column, name->at, name->length) == 0);
    }
    return differs;
}

static void take_nothing(void *to, const char *column, const char *declared,
                         bool own) {
    (void)to, (void)column, (void)declared, (void)own;
}

enum table_owner table_owner_at(struct translator *t, size_t at, bool owned) {
    char name[LONGEST_NAME + 1], owner[LONGEST_NAME + 1] = "";
    struct token *token = &t->tokens[at];
    if (owned)
        name_spell(token - 2, owner);
    name_spell(token, name);
    if (!token->table)
        source_work(t, UNITS_PER_TABLE);
    if (!token->table)
        token->table =
            TABLE_LOOKED_UP | t->catalog->table(t->catalog->data, owner, name,
                                                take_nothing, NULL);
    return token->table & ~TABLE_LOOKED_UP;
}

bool columns_order_natively(const struct translator *t) {
    for (size_t i = 0; i < t->columns; i++)
        if (!operand_orders_natively(t->column[i].type))
            return false;
    return t->columns > 0;
}
