// SPDX-License-Identifier: GPL-2.0-or-later
// CREATE, DROP and TRUNCATE TABLE, CREATE and DROP INDEX in the user's own
// schema. SQLite enforces no types: the statements that store values convert
// and check them; see target.h.
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sql/known_columns.h"

// The number in `(n)` at `at`, or `otherwise` if there is none. The second
// number of `(n, s)` goes to `scale`.
static int size_at(struct translator *t, size_t at, int otherwise, int *scale) {
    *scale = 0;
    if (!source_is(t, at, "("))
        return otherwise;
    const size_t close = t->close[at];
    const bool negative = source_is(t, at + 3, "-");
    const size_t second = at + 3 + negative;
    if (source_is(t, at + 2, ",") && second < close) {
        *scale = (int)strtol(t->tokens[second].at, NULL, 10);
        *scale = negative ? -*scale : *scale;
    }
    if (t->tokens[at + 1].type == TOKEN_NUMBER)
        return (int)strtol(t->tokens[at + 1].at, NULL, 10);
    source_refuse(t, source_is(t, at + 1, "*") ? 3001 : 902, "NUMBER(*)");
    return otherwise;
}

// Each emits the type in the form that column_type_of() reads.
static void number_type(struct translator *t, size_t at, bool whole,
                        char *declared, size_t size) {
    int scale, digits = size_at(t, at + 1, whole ? 38 : 0, &scale);
    if (source_is(t, at + 1, "(") && (digits < 1 || digits > 38))
        source_refuse(t, 1727, "");
    else if (scale < -84 || scale > 127)
        source_refuse(t, 1728, "");
    else if (whole && !source_is(t, at + 1, "("))
        snprintf(declared, size, "INT"); // NUMBER(*, 0)
    else if (digits == 0)
        snprintf(declared, size, "NUMBER");
    else
        snprintf(declared, size, "NUMBER(%d,%d)", digits, scale);
}

static void text_type(struct translator *t, size_t at, char *declared,
                      size_t size) {
    int scale, length = size_at(t, at + 1, 0, &scale);
    if (!source_is(t, at + 1, "("))
        source_refuse(t, 906, "");
    else if (length < 1 || length > 4000)
        source_refuse(t, length < 1 ? 1723 : 910, "");
    else
        // SQLite accepts no word inside a type's parentheses.
        snprintf(declared, size, "VARCHAR2%s(%d)",
                 source_is(t, at + 3, "char") ? " CHAR" : "", length);
}

// INTERVAL YEAR TO MONTH or DAY TO SECOND, each with the digits that it has
// unless others are asked for. Returns the token after it.
static size_t interval_type(struct translator *t, size_t at, char *declared,
                            size_t size) {
    const bool months = source_is(t, at + 1, "year");
    if (!source_is(t, at + 2, "to") ||
        !source_is(t, at + 3, months ? "month" : "second") ||
        (!months && !source_is(t, at + 1, "day")))
        source_refuse(t, 3001, "an INTERVAL of other digits");
    snprintf(declared, size, "INTERVAL %s", months ? "YM" : "DS");
    return at + 4;
}

// Emits the type of the column named at `column` and returns the token after
// it.
static size_t emit_type(struct translator *t, size_t column, char *declared,
                        size_t size) {
    size_t at = column + 1, next = at + 1;
    int scale;
    *declared = '\0';
    if (source_is(t, next, "("))
        next = t->close[next] + 1;
    if (source_is(t, at, "number") || source_is(t, at, "decimal") ||
        source_is(t, at, "numeric")) {
        number_type(t, at, !source_is(t, at, "number"), declared, size);
    } else if (source_is(t, at, "integer") || source_is(t, at, "int") ||
               source_is(t, at, "smallint")) {
        number_type(t, at, true, declared, size);
    } else if (source_is(t, at, "varchar2") || source_is(t, at, "varchar")) {
        text_type(t, at, declared, size);
    } else if (source_is(t, at, "date")) {
        snprintf(declared, size, "DATE");
    } else if (source_is(t, at, "timestamp") && !source_is(t, next, "with")) {
        if (size_at(t, at + 1, 6, &scale) < 6)
            source_refuse(t, 3001, "a TIMESTAMP of fewer digits");
        snprintf(declared, size, "TIMESTAMP");
    } else if (source_is(t, at, "interval")) {
        next = interval_type(t, at, declared, size);
    } else if ((source_is(t, at, "clob") || source_is(t, at, "blob")) &&
               next == at + 1) {
        snprintf(declared, size, source_is(t, at, "clob") ? "CLOB" : "BLOB");
    } else if ((source_is(t, at, "binary_float") ||
                source_is(t, at, "binary_double")) &&
               next == at + 1) {
        snprintf(declared, size, "%s",
                 source_is(t, at, "binary_float") ? "BINARY_FLOAT"
                                                  : "BINARY_DOUBLE");
    } else if (source_is(t, at, "raw")) {
        snprintf(declared, size, "RAW(%d)", size_at(t, at + 1, 2000, &scale));
    } else {
        source_refuse_token(t, 3001, at);
    }
    emit_text(t, " ");
    emit_text(t, declared);
    return next;
}

static bool begins_constraint(const struct translator *t, size_t at) {
    return source_is(t, at, "not") || source_is(t, at, "null") ||
           source_is(t, at, "primary") || source_is(t, at, "unique") ||
           source_is(t, at, "check") || source_is(t, at, "constraint") ||
           source_is(t, at, "references");
}

// SQLite keeps the text of CREATE TABLE: the dictionary shows what the user
// wrote.
static void emit_original(struct translator *t, const char *from,
                          const char *to) {
    while (from < to && isspace((unsigned char)*from))
        from++;
    while (to > from && isspace((unsigned char)to[-1]))
        to--;
    if (memmem(from, (size_t)(to - from), "*/", 2))
        source_refuse(t, 3001, "a comment in this expression");
    emit_text(t, " /*+");
    emit_bytes(t, from, (size_t)(to - from));
    emit_text(t, "*/");
}

static size_t emit_default(struct translator *t, size_t from, size_t to,
                           const char *declared) {
    size_t end = from + 1;
    while (end < to && !begins_constraint(t, end))
        end = source_after(t, end);
    emit_text(t, " DEFAULT (ASSIGN$(");
    emit_whole_value(t, from + 1, end, 907);
    emit_text(t, ",'");
    emit_text(t, declared);
    emit_text(t, "','DEFAULT'))");
    emit_original(t, t->tokens[from].at + t->tokens[from].length,
                  t->tokens[end].at);
    return end;
}

// A list of the table's columns in parentheses. Returns the token after it.
static size_t emit_column_list(struct translator *t, size_t open) {
    emit_text(t, " (");
    for (size_t at = open + 1; at < t->close[open]; at++)
        if (source_is(t, at, ",") && at > open + 1)
            emit_text(t, ",");
        else if (source_is_name(t, at) && at + 1 < t->close[open] &&
                 !source_is(t, at + 1, ","))
            source_refuse(t, 3001, "an index of expressions");
        else
            emit_name(t, at);
    emit_text(t, ")");
    return t->close[open] + 1;
}

// SQLite treats rows with a NULL in one of the columns as distinct; Oracle only
// those with NULLs in all of them.
static void check_unique(struct translator *t, size_t open) {
    if (source_find(t, open + 1, t->close[open], ",") < t->close[open])
        source_refuse(t, 3001, "UNIQUE of several columns");
}

static void emit_constraints(struct translator *t, size_t from, size_t to,
                             const char *declared) {
    // SQLite allows NULL in a primary key. By the words that change nothing the
    // dictionary's views know that this is no constraint of its own.
    if (source_find(t, from, to, "primary") < to &&
        source_find(t, from, to, "not") == to && *declared)
        emit_text(t, " NOT NULL ON CONFLICT ABORT");
    while (from < to && !t->result->error) {
        if (source_is(t, from, "default") && *declared) {
            from = emit_default(t, from, to, declared);
        } else if (source_is(t, from, "constraint") &&
                   source_is_name(t, from + 1)) {
            emit_text(t, " CONSTRAINT ");
            emit_name(t, from + 1);
            from += 2;
        } else if (source_is(t, from, "not") &&
                   source_is(t, from + 1, "null")) {
            emit_text(t, " NOT NULL");
            from += 2;
        } else if (source_is(t, from, "null")) {
            from++;
        } else if (source_is(t, from, "primary") &&
                   source_is(t, from + 1, "key")) {
            emit_text(t, " PRIMARY KEY");
            from += 2;
            if (from < to && source_is(t, from, "("))
                from = emit_column_list(t, from);
        } else if (source_is(t, from, "unique")) {
            emit_text(t, " UNIQUE");
            from++;
            if (from < to && source_is(t, from, "("))
                check_unique(t, from);
            if (from < to && source_is(t, from, "("))
                from = emit_column_list(t, from);
        } else if (source_is(t, from, "check") && source_is(t, from + 1, "(")) {
            emit_text(t, " CHECK (");
            emit_condition(t, from + 2, t->close[from + 1]);
            emit_text(t, ")");
            emit_original(t, t->tokens[from + 1].at + 1,
                          t->tokens[t->close[from + 1]].at);
            from = t->close[from + 1] + 1;
        } else {
            source_refuse_token(t, 3001, from);
        }
    }
}

static void emit_own(struct translator *t, size_t name, size_t *after) {
    // A name may be qualified by its owner. SQLite refuses a schema that is not
    // the user's own.
    emit_text(t, " ");
    if (source_is(t, name + 1, ".")) {
        emit_name(t, name);
        name += 2;
    } else {
        emit_text(t, t->own_schema);
    }
    if (!source_may_name(t, name))
        source_refuse(t, source_is(t, 1, "table") ? 903 : 953, "");
    emit_text(t, ".");
    emit_name(t, name);
    *after = name + 1;
}

// SQLite compares names without case: to it, names that differ only in case are
// equal.
static void check_case(struct translator *t, size_t from, size_t column) {
    for (size_t at = from; at < column; at = source_after(t, at))
        if ((at == from || source_is(t, at - 1, ",")) &&
            source_is_name(t, at) &&
            t->tokens[at].length == t->tokens[column].length &&
            strncasecmp(t->tokens[at].at, t->tokens[column].at,
                        t->tokens[at].length) == 0 &&
            !name_equals(&t->tokens[at], &t->tokens[column]))
            source_refuse(t, 3001, "names that differ in their case alone");
}

// Emits the name of a new table or index.
static void check_case_of(struct translator *t, size_t name) {
    char spelled[LONGEST_NAME + 1];
    if (!t->catalog || !source_is_name(t, name))
        return;
    name_spell(&t->tokens[name], spelled);
    if (t->catalog->differs_in_case(t->catalog->data, spelled))
        source_refuse(t, 3001, "names that differ in their case alone");
}

// Whether the columns in the list at `list` are declared NOT NULL in [from,
// to): SQLite allows NULL in a primary key.
static bool are_not_null(struct translator *t, size_t from, size_t to,
                         size_t list) {
    for (size_t name = list + 1; name < t->close[list]; name += 2) {
        bool found = false;
        for (size_t at = from; at < to && !found;) {
            const size_t end = source_find(t, at, to, ",");
            const size_t no = source_find(t, at, end, "not");
            found = source_is_name(t, at) &&
                    name_equals(&t->tokens[at], &t->tokens[name]) && no < end &&
                    source_is(t, no + 1, "null");
            at = end + 1;
        }
        if (!found)
            return false;
    }
    return true;
}

static void emit_columns(struct translator *t, size_t from, size_t to) {
    const size_t open = from;
    while (from < to && !t->result->error) {
        size_t end = source_find(t, from, to, ",");
        if (source_is(t, from, "constraint") || source_is(t, from, "primary") ||
            source_is(t, from, "unique") || source_is(t, from, "check")) {
            const size_t primary = source_find(t, from, end, "primary");
            if (primary < end && (!source_is(t, primary + 2, "(") ||
                                  !are_not_null(t, open, to, primary + 2)))
                source_refuse(t, 3001,
                              "a primary key of columns that may be NULL");
            emit_constraints(t, from, end, "");
        } else {
            char declared[40];
            if (!source_may_name(t, from))
                source_refuse_token(t, 904, from);
            check_case(t, open, from);
            emit_text(t, " ");
            emit_name(t, from);
            size_t after = emit_type(t, from, declared, sizeof declared);
            emit_constraints(t, after, end, declared);
        }
        if (end < to)
            emit_text(t, ",");
        from = end + 1;
    }
}

static void create_table(struct translator *t) {
    size_t at;
    emit_text(t, "CREATE TABLE");
    emit_own(t, 2, &at);
    check_case_of(t, at - 1);
    if (source_is(t, at, "as")) {
        t->result->name_to = t->length;
        emit_text(t, " AS ");
        t->result->query_at = t->length;
        emit_query(t, at + 1, t->count);
    } else if (source_is(t, at, "(")) {
        emit_text(t, " (");
        emit_columns(t, at + 1, t->close[at]);
        emit_text(t, ")");
        if (t->close[at] + 1 < t->count)
            source_refuse(t, 3001, "table properties");
    } else {
        source_refuse(t, 922, "");
    }
}

static void create_index(struct translator *t, size_t name) {
    size_t at;
    emit_text(t, name == 3 ? "CREATE UNIQUE INDEX" : "CREATE INDEX");
    emit_own(t, name, &at);
    size_t list = source_is(t, at + 2, ".") ? at + 4 : at + 2;
    if (!source_is(t, at, "on") || !source_is(t, list, "(") ||
        t->close[list] + 1 != t->count) {
        source_refuse(t, 3001, "index properties");
        return;
    }
    if (name == 3)
        check_unique(t, list);
    emit_text(t, " ON ");
    emit_name(t, list - 1);
    emit_column_list(t, list);
}

bool emit_ddl(struct translator *t) {
    size_t at;
    bool table = source_is(t, 1, "table") && t->count > 2;
    if (source_is(t, 0, "create") && table) {
        create_table(t);
    } else if (source_is(t, 0, "create") && source_is(t, 1, "index") &&
               t->count > 5) {
        create_index(t, 2);
    } else if (source_is(t, 0, "create") && source_is(t, 1, "unique") &&
               t->count > 6) {
        create_index(t, 3);
    } else if (source_is(t, 0, "drop") && table) {
        emit_text(t, "DROP TABLE");
        emit_own(t, 2, &at);
        if (source_is(t, at, "cascade"))
            at += 2;
        if (source_is(t, at, "purge"))
            at++;
        if (at < t->count)
            source_refuse(t, 933, "");
    } else if (source_is(t, 0, "drop") && source_is(t, 1, "index") &&
               t->count > 2) {
        emit_text(t, "DROP INDEX");
        emit_own(t, 2, &at);
    } else if (source_is(t, 0, "truncate") && table) {
        emit_text(t, "DELETE FROM");
        emit_own(t, 2, &at);
    } else {
        return false;
    }
    return true;
}
