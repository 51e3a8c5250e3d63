// SPDX-License-Identifier: GPL-2.0-or-later
// CREATE, DROP and TRUNCATE TABLE, CREATE and DROP INDEX, in the user's own
// schema. SQLite enforces no types: what a column gets is converted and checked
// by the statements that give it; see target.h.
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "sql/known_columns.h"

// The number in `(n)` at `at`, or `otherwise` when there is none. `scale` gets
// the one in `(n, s)`.
static int size_at(struct translator *t, size_t at, int otherwise, int *scale) {
    *scale = 0;
    if (!is(t, at, "("))
        return otherwise;
    const size_t close = t->close[at];
    const bool negative = is(t, at + 3, "-");
    const size_t second = at + 3 + negative;
    if (is(t, at + 2, ",") && second < close) {
        *scale = (int)strtol(t->tokens[second].at, NULL, 10);
        *scale = negative ? -*scale : *scale;
    }
    if (t->tokens[at + 1].type == TOKEN_NUMBER)
        return (int)strtol(t->tokens[at + 1].at, NULL, 10);
    refuse(t, is(t, at + 1, "*") ? 3001 : 902, "NUMBER(*)");
    return otherwise;
}

// Each writes the type as column_type_of() reads it.
static void number_type(struct translator *t, size_t at, bool whole,
                        char *declared, size_t size) {
    int scale, digits = size_at(t, at + 1, whole ? 38 : 0, &scale);
    if (is(t, at + 1, "(") && (digits < 1 || digits > 38))
        refuse(t, 1727, "");
    else if (scale < -84 || scale > 127)
        refuse(t, 1728, "");
    else if (digits == 0)
        snprintf(declared, size, "NUMBER");
    else
        snprintf(declared, size, "NUMBER(%d,%d)", digits, scale);
}

static void text_type(struct translator *t, size_t at, char *declared,
                      size_t size) {
    int scale, length = size_at(t, at + 1, 0, &scale);
    if (!is(t, at + 1, "("))
        refuse(t, 906, "");
    else if (length < 1 || length > 4000)
        refuse(t, length < 1 ? 1723 : 910, "");
    else
        // SQLite takes no word inside a type's parentheses.
        snprintf(declared, size, "VARCHAR2%s(%d)",
                 is(t, at + 3, "char") ? " CHAR" : "", length);
}

// Says the type of the column named at `column` and returns what comes after.
static size_t say_type(struct translator *t, size_t column, char *declared,
                       size_t size) {
    size_t at = column + 1, next = at + 1;
    int scale;
    *declared = '\0';
    if (is(t, next, "("))
        next = t->close[next] + 1;
    if (is(t, at, "number") || is(t, at, "decimal") || is(t, at, "numeric")) {
        number_type(t, at, !is(t, at, "number"), declared, size);
    } else if (is(t, at, "integer") || is(t, at, "int") ||
               is(t, at, "smallint")) {
        number_type(t, at, true, declared, size);
    } else if (is(t, at, "varchar2") || is(t, at, "varchar")) {
        text_type(t, at, declared, size);
    } else if (is(t, at, "date")) {
        snprintf(declared, size, "DATE");
    } else if (is(t, at, "timestamp") && !is(t, next, "with")) {
        if (size_at(t, at + 1, 6, &scale) < 6)
            refuse(t, 3001, "a TIMESTAMP of fewer digits");
        snprintf(declared, size, "TIMESTAMP");
    } else if (is(t, at, "raw")) {
        snprintf(declared, size, "RAW(%d)", size_at(t, at + 1, 2000, &scale));
    } else {
        refuse_token(t, 3001, at);
    }
    say(t, " ");
    say(t, declared);
    return next;
}

static bool begins_constraint(const struct translator *t, size_t at) {
    return is(t, at, "not") || is(t, at, "null") || is(t, at, "primary") ||
           is(t, at, "unique") || is(t, at, "check") ||
           is(t, at, "constraint") || is(t, at, "references");
}

static size_t say_default(struct translator *t, size_t from, size_t to,
                          const char *declared) {
    size_t end = from + 1;
    while (end < to && !begins_constraint(t, end))
        end = past(t, end);
    say(t, " DEFAULT (ASSIGN$(");
    say_whole_value(t, from + 1, end, 907);
    say(t, ",'");
    say(t, declared);
    say(t, "','DEFAULT'))");
    return end;
}

// A list of the table's columns in parentheses; returns what comes after.
static size_t say_column_list(struct translator *t, size_t open) {
    say(t, " (");
    for (size_t at = open + 1; at < t->close[open]; at++)
        if (is(t, at, ",") && at > open + 1)
            say(t, ",");
        else if (is_name(t, at) && at + 1 < t->close[open] &&
                 !is(t, at + 1, ","))
            refuse(t, 3001, "an index of expressions");
        else
            say_name(t, at);
    say(t, ")");
    return t->close[open] + 1;
}

// To SQLite rows with a NULL in one of the columns are never the same.
static void check_unique(struct translator *t, size_t open) {
    if (find(t, open + 1, t->close[open], ",") < t->close[open])
        refuse(t, 3001, "UNIQUE of several columns");
}

static void say_constraints(struct translator *t, size_t from, size_t to,
                            const char *declared) {
    // SQLite lets a primary key be NULL.
    if (find(t, from, to, "primary") < to && find(t, from, to, "not") == to &&
        *declared)
        say(t, " NOT NULL");
    while (from < to && !t->result->error) {
        if (is(t, from, "default") && *declared) {
            from = say_default(t, from, to, declared);
        } else if (is(t, from, "constraint") && is_name(t, from + 1)) {
            say(t, " CONSTRAINT ");
            say_name(t, from + 1);
            from += 2;
        } else if (is(t, from, "not") && is(t, from + 1, "null")) {
            say(t, " NOT NULL");
            from += 2;
        } else if (is(t, from, "null")) {
            from++;
        } else if (is(t, from, "primary") && is(t, from + 1, "key")) {
            say(t, " PRIMARY KEY");
            from += 2;
            if (from < to && is(t, from, "("))
                from = say_column_list(t, from);
        } else if (is(t, from, "unique")) {
            say(t, " UNIQUE");
            from++;
            if (from < to && is(t, from, "("))
                check_unique(t, from);
            if (from < to && is(t, from, "("))
                from = say_column_list(t, from);
        } else if (is(t, from, "check") && is(t, from + 1, "(")) {
            say(t, " CHECK (");
            say_condition(t, from + 2, t->close[from + 1]);
            say(t, ")");
            from = t->close[from + 1] + 1;
        } else {
            refuse_token(t, 3001, from);
        }
    }
}

static void say_own(struct translator *t, size_t name, size_t *after) {
    // A name may have its owner in front; what is not the user's own SQLite
    // refuses.
    say(t, " ");
    if (is(t, name + 1, ".")) {
        say_name(t, name);
        name += 2;
    } else {
        say(t, t->own_schema);
    }
    if (!may_be_named(t, name))
        refuse(t, is(t, 1, "table") ? 903 : 953, "");
    say(t, ".");
    say_name(t, name);
    *after = name + 1;
}

// SQLite takes names in any case: to it, two that differ in nothing else are
// one.
static void check_case(struct translator *t, size_t from, size_t column) {
    for (size_t at = from; at < column; at = past(t, at))
        if ((at == from || is(t, at - 1, ",")) && is_name(t, at) &&
            t->tokens[at].length == t->tokens[column].length &&
            strncasecmp(t->tokens[at].at, t->tokens[column].at,
                        t->tokens[at].length) == 0 &&
            !equal_names(&t->tokens[at], &t->tokens[column]))
            refuse(t, 3001, "names that differ in their case alone");
}

// Of a table that is to be made, or its index.
static void check_case_of(struct translator *t, size_t name) {
    char spelled[LONGEST_NAME + 1];
    if (!t->catalog || !is_name(t, name))
        return;
    spell(&t->tokens[name], spelled);
    if (t->catalog->differs_in_case(t->catalog->data, spelled))
        refuse(t, 3001, "names that differ in their case alone");
}

static void say_columns(struct translator *t, size_t from, size_t to) {
    const size_t open = from;
    while (from < to && !t->result->error) {
        size_t end = find(t, from, to, ",");
        if (is(t, from, "constraint") || is(t, from, "primary") ||
            is(t, from, "unique") || is(t, from, "check")) {
            if (find(t, from, end, "primary") < end)
                refuse(t, 3001, "a primary key of several columns");
            say_constraints(t, from, end, "");
        } else {
            char declared[40];
            if (!may_be_named(t, from))
                refuse_token(t, 904, from);
            check_case(t, open, from);
            say(t, " ");
            say_name(t, from);
            size_t after = say_type(t, from, declared, sizeof declared);
            say_constraints(t, after, end, declared);
        }
        if (end < to)
            say(t, ",");
        from = end + 1;
    }
}

static void create_table(struct translator *t) {
    size_t at;
    say(t, "CREATE TABLE");
    say_own(t, 2, &at);
    check_case_of(t, at - 1);
    if (is(t, at, "as")) {
        t->result->name_to = t->length;
        say(t, " AS ");
        t->result->query_at = t->length;
        say_query(t, at + 1, t->count);
    } else if (is(t, at, "(")) {
        say(t, " (");
        say_columns(t, at + 1, t->close[at]);
        say(t, ")");
        if (t->close[at] + 1 < t->count)
            refuse(t, 3001, "table properties");
    } else {
        refuse(t, 922, "");
    }
}

static void create_index(struct translator *t, size_t name) {
    size_t at;
    say(t, name == 3 ? "CREATE UNIQUE INDEX" : "CREATE INDEX");
    say_own(t, name, &at);
    size_t list = is(t, at + 2, ".") ? at + 4 : at + 2;
    if (!is(t, at, "on") || !is(t, list, "(") ||
        t->close[list] + 1 != t->count) {
        refuse(t, 3001, "index properties");
        return;
    }
    if (name == 3)
        check_unique(t, list);
    say(t, " ON ");
    say_name(t, list - 1);
    say_column_list(t, list);
}

bool say_ddl(struct translator *t) {
    size_t at;
    bool table = is(t, 1, "table") && t->count > 2;
    if (is(t, 0, "create") && table) {
        create_table(t);
    } else if (is(t, 0, "create") && is(t, 1, "index") && t->count > 5) {
        create_index(t, 2);
    } else if (is(t, 0, "create") && is(t, 1, "unique") && t->count > 6) {
        create_index(t, 3);
    } else if (is(t, 0, "drop") && table) {
        say(t, "DROP TABLE");
        say_own(t, 2, &at);
        if (is(t, at, "cascade"))
            at += 2;
        if (is(t, at, "purge"))
            at++;
        if (at < t->count)
            refuse(t, 933, "");
    } else if (is(t, 0, "drop") && is(t, 1, "index") && t->count > 2) {
        say(t, "DROP INDEX");
        say_own(t, 2, &at);
    } else if (is(t, 0, "truncate") && table) {
        say(t, "DELETE FROM");
        say_own(t, 2, &at);
    } else {
        return false;
    }
    return true;
}
