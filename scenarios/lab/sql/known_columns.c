// SPDX-License-Identifier: GPL-2.0-or-later
// The columns that a statement can mean: those of all tables that it names,
// whatever their scope.
#include "sql/known_columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sql/column_type.h"
#include "sql/source.h"

enum { MOST_KNOWN = 5000, LOOKED_UP = 0x80 };

struct known_column {
    char name[LONGEST_NAME + 1];
    enum operand_type type;
    bool alias; // of something else, too
};

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

bool is_known(const struct translator *t, const struct token *name) {
    return known(t, name);
}

enum operand_type name_type(const struct translator *t, size_t at) {
    const struct known_column *column = known(t, &t->tokens[at]);
    return column && !column->alias ? column->type : OPERAND_UNKNOWN;
}

// SQLite takes names in any case. A name that differs from a column's in
// nothing else is not that column's.
bool differs_in_case(const struct translator *t, const struct token *name) {
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

static void take_nothing(void *to, const char *column, const char *declared,
                         bool own) {
    (void)to, (void)column, (void)declared, (void)own;
}

enum table_owner owner_of(struct translator *t, size_t at, bool owned) {
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

bool columns_order_themselves(const struct translator *t) {
    for (size_t i = 0; i < t->columns; i++)
        if (!orders_itself(t->column[i].type))
            return false;
    return t->columns > 0;
}
