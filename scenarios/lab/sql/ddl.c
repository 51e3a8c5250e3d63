// SPDX-License-Identifier: GPL-2.0-or-later
// CREATE, DROP and TRUNCATE TABLE, CREATE and DROP INDEX, in the user's own
// schema. SQLite enforces no types, so each column gets checks that do; they
// are named after the error that Oracle would raise.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sql/source.h"

static const char is_number[] = "typeof(%) IN ('integer','real','null')";
static const char is_whole[] = "coalesce(% = round(%), 1)";
static const char is_text[] = "typeof(%) IN ('text','null')";

static void say_check(struct translator *t, size_t column, const char *error,
                      const char *condition, unsigned limit) {
    char number[16];
    snprintf(number, sizeof number, "%u", limit);
    say(t, " CONSTRAINT \"ORA-");
    say(t, error);
    say(t, "\" CHECK (");
    for (const char *c = condition; *c; c++)
        if (*c == '%')
            say_tokens(t, column, column + 1);
        else if (*c == '^')
            say(t, number);
        else
            say_part(t, c, 1);
    say(t, ")");
}

// The number in `(n)` at `at`, or `otherwise` when there is none. `scale` gets
// the one in `(n, s)`.
static unsigned size_at(const struct translator *t, size_t at,
                        unsigned otherwise, unsigned *scale) {
    if (!is(t, at, "(") || t->tokens[at + 1].type != TOKEN_NUMBER)
        return otherwise;
    if (is(t, at + 2, ",") && t->tokens[at + 3].type == TOKEN_NUMBER)
        *scale = (unsigned)strtoul(t->tokens[at + 3].at, NULL, 10);
    return (unsigned)strtoul(t->tokens[at + 1].at, NULL, 10);
}

static void say_number_type(struct translator *t, size_t column, size_t at,
                            bool whole) {
    unsigned scale = 0, digits = size_at(t, at + 1, 0, &scale);
    if (scale > 0 || digits > 15) {
        refuse(t, 3001, "a NUMBER with a scale or more than 15 digits");
        return;
    }
    say(t, " NUMBER");
    say_check(t, column, "01722", is_number, 0);
    if (digits > 0 || whole)
        say_check(t, column, "01438", is_whole, 0);
    if (digits > 0)
        say_check(t, column, "01438", "coalesce(abs(%) < 1e^, 1)", digits);
}

static void say_text_type(struct translator *t, size_t column, size_t at) {
    unsigned unused = 0, size = size_at(t, at + 1, 0, &unused);
    char declared[32];
    if (size < 1 || size > 4000) {
        refuse(t, 910, "");
        return;
    }
    snprintf(declared, sizeof declared, " VARCHAR2(%u)", size);
    say(t, declared);
    say_check(t, column, "00932", is_text, 0);
    say_check(t, column, "12899",
              is(t, at + 3, "char") ? "coalesce(length(%) <= ^, 1)"
                                    : "coalesce(length(CAST(% AS BLOB)) <= ^, "
                                      "1)",
              size);
}

// Says the type of the column named at `column` and returns what comes after.
static size_t say_type(struct translator *t, size_t column) {
    static const char bytes[] = "coalesce(typeof(%) = 'blob' AND length(%) = "
                                "^, 1) OR % IS NULL";
    size_t at = column + 1, next = at + 1;
    if (is(t, next, "("))
        next = t->close[next] + 1;
    if (is(t, at, "number")) {
        say_number_type(t, column, at, false);
    } else if (is(t, at, "integer") || is(t, at, "int") ||
               is(t, at, "smallint")) {
        say_number_type(t, column, at, true);
    } else if (is(t, at, "varchar2") || is(t, at, "varchar")) {
        say_text_type(t, column, at);
    } else if (is(t, at, "date")) {
        say(t, " DATE");
        say_check(t, column, "00932", bytes, 7);
    } else if (is(t, at, "timestamp") && !is(t, next, "with")) {
        say(t, " TIMESTAMP");
        say_check(t, column, "00932", bytes, 11);
    } else if (is(t, at, "raw")) {
        unsigned unused = 0;
        say(t, " RAW");
        say_check(t, column, "12899", "coalesce(length(%) <= ^, 1)",
                  size_at(t, at + 1, 2000, &unused));
    } else {
        refuse_token(t, 3001, at);
    }
    return next;
}

static bool ends_default(const struct translator *t, size_t at) {
    return is(t, at, "not") || is(t, at, "null") || is(t, at, "primary") ||
           is(t, at, "unique") || is(t, at, "check") ||
           is(t, at, "constraint") || is(t, at, "references");
}

static void say_constraints(struct translator *t, size_t from, size_t to) {
    if (find(t, from, to, "references") < to ||
        find(t, from, to, "foreign") < to || find(t, from, to, "using") < to)
        refuse(t, 3001, "foreign keys and USING INDEX");
    // SQLite lets a primary key be NULL.
    if (find(t, from, to, "primary") < to && find(t, from, to, "not") == to)
        say(t, " NOT NULL");
    while (from < to && !t->result->error) {
        if (!is(t, from, "default")) {
            size_t end = find(t, from, to, "default");
            say_tokens(t, from, end);
            from = end;
            continue;
        }
        size_t end = past(t, from + 1);
        while (end < to && !ends_default(t, end))
            end = past(t, end);
        say(t, " DEFAULT (");
        say_tokens(t, from + 1, end);
        say(t, ")");
        from = end;
    }
}

static void say_own(struct translator *t, size_t name, size_t *after) {
    // A name may have its owner in front; what is not the user's own SQLite
    // refuses.
    if (is(t, name + 1, ".")) {
        say_tokens(t, name, name + 3);
        *after = name + 3;
    } else {
        say(t, " ");
        say(t, t->own_schema);
        say(t, ".");
        say_tokens(t, name, name + 1);
        *after = name + 1;
    }
}

static void say_columns(struct translator *t, size_t from, size_t to) {
    while (from < to && !t->result->error) {
        size_t end = find(t, from, to, ",");
        if (is(t, from, "constraint") || is(t, from, "primary") ||
            is(t, from, "unique") || is(t, from, "check")) {
            if (find(t, from, end, "primary") < end)
                refuse(t, 3001, "a primary key of several columns");
            say_constraints(t, from, end);
        } else {
            say_tokens(t, from, from + 1);
            say_constraints(t, say_type(t, from), end);
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
    if (is(t, at, "as")) {
        say(t, " AS ");
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
    say(t, " ON");
    say_tokens(t, list - 1, t->count);
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
