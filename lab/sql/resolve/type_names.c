// SPDX-License-Identifier: GPL-2.0-or-later
// Types as CREATE TABLE and CAST name them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sql/resolve/resolver.h"

enum { LONGEST_TYPE = 40 };

static bool is(const struct resolver *r, const struct type_name *type,
               const char *word) {
    return statement_is(r->s, type->from, word);
}

static bool is_whole(const struct resolver *r, const struct type_name *type) {
    return is(r, type, "integer") || is(r, type, "int") ||
           is(r, type, "smallint");
}

static bool is_binary(const struct resolver *r, const struct type_name *type) {
    return is(r, type, "binary_float") || is(r, type, "binary_double");
}

static bool is_fixed(const struct resolver *r, const struct type_name *type) {
    return is(r, type, "char") || is(r, type, "character");
}

static const char *binary_word(const struct resolver *r,
                               const struct type_name *type) {
    return is(r, type, "binary_float") ? "BINARY_FLOAT" : "BINARY_DOUBLE";
}

static int size_at(const struct resolver *r, unsigned token) {
    return token ? (int)strtol(r->s->tokens[token].at, NULL, 10) : 0;
}

static int scale_of(const struct resolver *r, const struct type_name *type) {
    return type->negative ? -size_at(r, type->scale) : size_at(r, type->scale);
}

static char *new_text(struct resolver *r, struct type_name *type) {
    char *text = statement_take(r->s, LONGEST_TYPE);
    type->declared = text;
    return text;
}

void type_name_of_cast(struct resolver *r, struct type_name *type) {
    const bool text =
        is(r, type, "varchar2") || is(r, type, "varchar") || is_fixed(r, type);
    const bool plain =
        is(r, type, "date") || is(r, type, "timestamp") || is_binary(r, type);
    char *to = new_text(r, type);
    if (type->interval || type->any_size || (type->after && plain) ||
        !(is_whole(r, type) || is(r, type, "number") || text || plain)) {
        statement_refuse_token(r->s, 3001, type->from);
        return;
    }
    const char *word = is_whole(r, type)         ? "NUMBER(38)"
                       : is(r, type, "number")   ? "NUMBER"
                       : is(r, type, "varchar2") ? "VARCHAR2"
                       : is(r, type, "varchar")  ? "VARCHAR"
                       : is_fixed(r, type)       ? "CHAR"
                       : is(r, type, "date")     ? "DATE"
                       : is_binary(r, type)      ? binary_word(r, type)
                                                 : "TIMESTAMP";
    if (!type->after || is_whole(r, type))
        snprintf(to, LONGEST_TYPE, "%s", word);
    else if (type->scale)
        snprintf(to, LONGEST_TYPE, "%s(%d,%d)", word, size_at(r, type->size),
                 scale_of(r, type));
    else
        snprintf(to, LONGEST_TYPE, "%s(%d%s)", word, size_at(r, type->size),
                 !type->unit                              ? ""
                 : statement_is(r->s, type->unit, "char") ? " CHAR"
                                                          : " BYTE");
}

static void number_type(struct resolver *r, const struct type_name *type,
                        bool whole, char *to) {
    const int scale = scale_of(r, type);
    const int digits = size_at(r, type->size);
    if (type->any_size && type->scale)
        snprintf(to, LONGEST_TYPE, scale == 0 ? "INT" : "NUMBER(38,%d)", scale);
    else if (type->any_size)
        snprintf(to, LONGEST_TYPE, "NUMBER");
    else if (type->after && (digits < 1 || digits > 38))
        statement_refuse(r->s, 1727, type->from, "");
    else if (scale < -84 || scale > 127)
        statement_refuse(r->s, 1728, type->from, "");
    else if (!type->after) // INT: NUMBER(*, 0)
        snprintf(to, LONGEST_TYPE, whole ? "INT" : "NUMBER");
    else
        snprintf(to, LONGEST_TYPE, "NUMBER(%d,%d)", digits, scale);
}

static void text_type(struct resolver *r, const struct type_name *type,
                      char *to) {
    const bool fixed = is_fixed(r, type);
    const int longest = fixed ? 2000 : 4000;
    const int length = fixed && !type->after ? 1 : size_at(r, type->size);
    const bool characters =
        type->unit && statement_is(r->s, type->unit, "char");
    if (!type->after && !fixed)
        statement_refuse(r->s, 906, type->from, "");
    else if (length < 1 || length > longest)
        statement_refuse(r->s, length < 1 ? 1723 : 910, type->from, "");
    else
        // SQLite accepts no word inside a type's parentheses.
        snprintf(to, LONGEST_TYPE, "%s%s(%d)", fixed ? "CHAR" : "VARCHAR2",
                 characters ? " CHAR" : "", length);
}

// INTERVAL YEAR TO MONTH or DAY TO SECOND, each with the digits that it has
// unless the type names others.
static void interval_type(struct resolver *r, const struct type_name *type,
                          char *to) {
    const bool months = statement_is(r->s, type->size, "year");
    if (type->interval_sized ||
        !statement_is(r->s, type->scale, months ? "month" : "second") ||
        (!months && !statement_is(r->s, type->size, "day")))
        statement_refuse(r->s, 3001, type->from, "an INTERVAL of other digits");
    snprintf(to, LONGEST_TYPE, "INTERVAL %s", months ? "YM" : "DS");
}

void type_name_of_column(struct resolver *r, struct type_name *type) {
    char *to = new_text(r, type);
    const bool lob = is(r, type, "clob") || is(r, type, "blob");
    if (type->interval)
        interval_type(r, type, to);
    else if (is(r, type, "number") || is_whole(r, type))
        number_type(r, type, is_whole(r, type), to);
    else if (is(r, type, "decimal") || is(r, type, "numeric"))
        number_type(r, type, true, to);
    else if (is(r, type, "varchar2") || is(r, type, "varchar") ||
             is_fixed(r, type))
        text_type(r, type, to);
    else if (is(r, type, "date") && !type->after)
        snprintf(to, LONGEST_TYPE, "DATE");
    else if (is(r, type, "timestamp") && type->after &&
             size_at(r, type->size) < 6)
        statement_refuse(r->s, 3001, type->from, "a TIMESTAMP of fewer digits");
    else if (is(r, type, "timestamp"))
        snprintf(to, LONGEST_TYPE, "TIMESTAMP");
    else if (lob && !type->after)
        snprintf(to, LONGEST_TYPE, is(r, type, "clob") ? "CLOB" : "BLOB");
    else if (is_binary(r, type) && !type->after)
        snprintf(to, LONGEST_TYPE, "%s", binary_word(r, type));
    else if (is(r, type, "raw"))
        snprintf(to, LONGEST_TYPE, "RAW(%d)",
                 type->after ? size_at(r, type->size) : 2000);
    else
        statement_refuse_token(r->s, 3001, type->from);
}
