// SPDX-License-Identifier: GPL-2.0-or-later
// ROWID as a column. Which table's it is decides the data object in it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sql/known_columns.h"
#include "sql/source.h"

static bool is_any(const struct translator *t, size_t at,
                   const char *const *words) {
    for (; *words; words++)
        if (source_is(t, at, *words))
            return true;
    return false;
}

// The parenthesis of the innermost query around the token; 0: the statement.
static size_t query_around(const struct translator *t, size_t at) {
    source_work(t, at);
    for (size_t i = at; i-- > 1;)
        if (source_is(t, i, "(") && t->close[i] > at &&
            (source_is(t, i + 1, "select") || source_is(t, i + 1, "with")))
            return i;
    return 0;
}

// Whether the comma at `at` separates tables.
static bool in_from(const struct translator *t, size_t at) {
    static const char *const others[] = {
        "(",  "select", "where",  "set",       "by",
        "on", "having", "values", "returning", NULL};
    for (size_t i = at; i-- > 0;) {
        const size_t close = i;
        if (source_is(t, i, ")"))
            while (i > 0 && t->close[i] != close)
                i--;
        source_work(t, close - i + 1);
        if (source_is(t, i, "from"))
            return true;
        if (i == close && is_any(t, i, others))
            return false;
    }
    return false;
}

// Whether a table's name, or its owner's, begins here.
static bool begins_table(const struct translator *t, size_t at) {
    static const char *const before[] = {"from", "join",   "update",
                                         "into", "delete", NULL};
    if (at == 0 || !source_is_name(t, at) || source_is_keyword(t, at))
        return false;
    return is_any(t, at - 1, before) ||
           (source_is(t, at - 1, ",") && in_from(t, at - 1));
}

struct table {
    size_t owner; // its token; 0: none
    size_t name;
    size_t called; // the alias, or the name
};

static struct table table_at(const struct translator *t, size_t at) {
    struct table table = {.name = at};
    if (source_is(t, at + 1, ".") && source_is_name(t, at + 2)) {
        table.owner = at;
        table.name = at + 2;
    }
    const size_t next = table.name + 1;
    table.called = source_is_name(t, next) && !source_is_keyword(t, next) &&
                           source_may_name(t, next)
                       ? next
                       : table.name;
    return table;
}

// The table that is called so in the query around `at`, or in the statement;
// without a name (0) the query's only table. Sets *found to their number.
static struct table table_of(const struct translator *t, size_t at, size_t name,
                             unsigned *found) {
    const size_t query = query_around(t, at);
    struct table table = {0};
    for (int whole = 0; whole < (name ? 2 : 1); whole++) {
        *found = 0;
        for (size_t i = 1; i < t->count; i++) {
            if (!begins_table(t, i) || (!whole && query_around(t, i) != query))
                continue;
            const struct table one = table_at(t, i);
            if (name && !name_equals(&t->tokens[one.called], &t->tokens[name]))
                continue;
            table = one;
            ++*found;
        }
        if (*found > 0)
            break;
    }
    return table;
}

bool emit_rowid(struct translator *t, size_t *at, size_t to,
                struct operand *emitted) {
    size_t last = *at;
    while (last + 2 < to && source_is(t, last + 1, ".") &&
           source_is_name(t, last + 2))
        last += 2;
    if (!name_spells(&t->tokens[last], "ROWID"))
        return false;
    const size_t name = last > *at ? last - 2 : 0;
    unsigned found;
    const struct table table = table_of(t, *at, name, &found);
    char owner[LONGEST_NAME + 1] = "", spelled[LONGEST_NAME + 1] = "", end[24];
    if (found == 1 && table.owner)
        name_spell(&t->tokens[table.owner], owner);
    if (found == 1)
        name_spell(&t->tokens[table.name], spelled);
    const uint32_t object =
        found == 1 && t->catalog && t->catalog->object
            ? t->catalog->object(t->catalog->data, owner, spelled)
            : 0;
    if (found > 1 && !name)
        source_refuse(t, 918, "");
    if (object == 0)
        source_refuse(t, 3001, "the ROWID of this table");
    emit_text(t, " ROWID$(");
    if (name) {
        emit_name(t, name);
        emit_text(t, ".");
    }
    snprintf(end, sizeof end, "rowid,%u)", object);
    emit_text(t, end);
    *at = last + 1;
    emitted->type = OPERAND_ROWID;
    emitted->object = object;
    return true;
}

void emit_row_equals(struct translator *t, struct operand rowid,
                     struct operand other) {
    static const char call[] = " ROWID$(";
    char end[16], *column, *value;
    const bool first = rowid.from < other.from;
    // Of the two, the earlier one ends where the later one begins.
    column = emitted_copy(t, rowid.from, first ? other.from : t->length);
    value = emitted_copy(t, other.from, first ? t->length : rowid.from);
    if (column && value) {
        t->length = first ? rowid.from : other.from;
        emit_text(t, " ");
        emit_bytes(t, column + sizeof call - 1,
                   (size_t)(strrchr(column, ',') - column) - sizeof call + 1);
        emit_text(t, " = ROW$(");
        emit_text(t, value);
        snprintf(end, sizeof end, ",%u)", rowid.object);
        emit_text(t, end);
    }
    free(column);
    free(value);
}
