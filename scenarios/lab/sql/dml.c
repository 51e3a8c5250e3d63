// SPDX-License-Identifier: GPL-2.0-or-later
// INSERT, UPDATE and DELETE. What a column gets passes through ASSIGN$, which
// converts and checks it by the column's type.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sql/source.h"

enum { LONGEST_NAME = 128, MOST_COLUMNS_OF_A_TABLE = 1000 };

struct target_column {
    char name[LONGEST_NAME + 1];
    char declared[40];
};

struct target {
    struct target_column *column;
    unsigned count;
    bool failed;
    char name[2 * LONGEST_NAME + 8]; // "SCOTT"."T", as errors show it
};

static void take(void *to, const char *name, const char *declared, bool own) {
    struct target *target = to;
    (void)own;
    struct target_column *grown =
        target->count < MOST_COLUMNS_OF_A_TABLE
            ? realloc(target->column,
                      (target->count + 1) * sizeof *target->column)
            : NULL;
    if (!grown) {
        target->failed = true;
        return;
    }
    target->column = grown;
    snprintf(grown[target->count].name, sizeof grown->name, "%s", name);
    snprintf(grown[target->count].declared, sizeof grown->declared, "%s",
             declared ? declared : "");
    target->count++;
}

static bool spell(const struct token *token, char *to) {
    struct token copy = *token;
    if (copy.length > LONGEST_NAME)
        return false;
    for (size_t i = 0; i < copy.length; i++)
        to[i] = token->type == TOKEN_QUOTED || token->at[i] < 'a' ||
                        token->at[i] > 'z'
                    ? token->at[i]
                    : (char)(token->at[i] - 'a' + 'A');
    to[copy.length] = '\0';
    return true;
}

// Reads the name of the table at *at and says it.
static bool read_target(struct translator *t, size_t *at,
                        struct target *target) {
    char owner[LONGEST_NAME + 1] = "", table[LONGEST_NAME + 1];
    const bool owned = is(t, *at + 1, ".");
    *target = (struct target){0};
    if (!is_name(t, *at) || (owned && !is_name(t, *at + 2)) ||
        is_keyword(t, *at)) {
        refuse(t, 903, "");
        return false;
    }
    if ((owned && !spell(&t->tokens[*at], owner)) ||
        !spell(&t->tokens[*at + (owned ? 2 : 0)], table)) {
        refuse(t, 972, "");
        return false;
    }
    if (t->catalog)
        t->catalog->table(t->catalog->data, owner, table, take, target);
    if (target->failed)
        refuse(t, 4030, "");
    snprintf(target->name, sizeof target->name, "%s.\"%s\"", t->own_schema,
             table);
    say_table_name(t, at, t->count);
    return !t->result->error;
}

static const struct target_column *column_named(const struct target *target,
                                                const char *name) {
    for (unsigned i = 0; i < target->count; i++)
        if (strcmp(target->column[i].name, name) == 0)
            return &target->column[i];
    return NULL;
}

// Puts ASSIGN$( at `begin` and its other arguments here.
static void assign_to(struct translator *t, size_t begin,
                      const struct target *target,
                      const struct target_column *column) {
    if (!column)
        return; // the table is not known: SQLite will say so
    insert(t, begin, " ASSIGN$(");
    say(t, ",'");
    say(t, column->declared);
    say(t, "','");
    for (const char *c = target->name; *c; c++)
        say(t, *c == '\'' ? "''" : (const char[]){*c, 0});
    say(t, ".\"");
    for (const char *c = column->name; *c; c++)
        say(t, *c == '\'' ? "''" : (const char[]){*c, 0});
    say(t, "\"')");
}

// The list of columns at `open`, or all of the table's. Returns how many, in
// `of` which each is.
static unsigned read_columns(struct translator *t, size_t open,
                             const struct target *target,
                             const struct target_column **of) {
    unsigned n = 0;
    if (!is(t, open, "(")) {
        for (; n < target->count; n++)
            of[n] = &target->column[n];
        return n;
    }
    const size_t close = t->close[open];
    say(t, " (");
    for (size_t at = open + 1; at < close && !t->result->error; at += 2) {
        char name[LONGEST_NAME + 1];
        // A column's name may have its table's in front.
        while (is(t, at + 1, ".") && at + 2 < close)
            at += 2;
        if (!is_name(t, at) || (at + 1 < close && !is(t, at + 1, ",")) ||
            !spell(&t->tokens[at], name)) {
            refuse(t, 1747, "");
            return 0;
        }
        of[n] = column_named(target, name);
        if (target->count > 0 && !of[n])
            refuse_token(t, 904, at);
        for (unsigned i = 0; i < n; i++)
            if (of[n] && of[i] == of[n])
                refuse(t, 957, "");
        if (n++ > 0)
            say(t, ",");
        say_name(t, at);
        if (n == MOST_COLUMNS_OF_A_TABLE)
            refuse(t, 913, "");
    }
    say(t, ")");
    return n;
}

static void say_values(struct translator *t, size_t open,
                       const struct target *target,
                       const struct target_column *const *of, unsigned count) {
    const size_t close = t->close[open];
    unsigned n = 0;
    say(t, " VALUES (");
    for (size_t from = open + 1; from <= close && !t->result->error;) {
        size_t end = find(t, from, close, ",");
        if (n > 0)
            say(t, ",");
        const size_t begin = t->length;
        if (is(t, from, "default") && end == from + 1)
            refuse(t, 3001, "DEFAULT as a value");
        say_whole_value(t, from, end, 917);
        if (n < count)
            assign_to(t, begin, target, of[n]);
        n++;
        from = end + 1;
    }
    say(t, ")");
    if (target->count > 0 && n != count)
        refuse(t, n < count ? 947 : 913, "");
    if (close + 1 < t->count)
        refuse(t, 933, "");
}

// The rows of a query, each value assigned to its column.
static void say_rows(struct translator *t, size_t select, size_t end,
                     const struct target *target,
                     const struct target_column *const *of, unsigned count) {
    char name[32];
    say(t, " WITH \"ROWS$\"(");
    for (unsigned i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%sC%u", i ? "," : "", i);
        say(t, name);
    }
    say(t, ") AS (");
    say_query(t, select, end);
    say(t, ") SELECT ");
    for (unsigned i = 0; i < count; i++) {
        if (i > 0)
            say(t, ",");
        const size_t begin = t->length;
        snprintf(name, sizeof name, " C%u", i);
        say(t, name);
        assign_to(t, begin, target, of[i]);
    }
    say(t, " FROM \"ROWS$\"");
}

void say_insert(struct translator *t) {
    const struct target_column *of[MOST_COLUMNS_OF_A_TABLE];
    struct target target;
    size_t at = 2;
    if (!is(t, 1, "into")) {
        refuse(t, is(t, 1, "all") || is(t, 1, "first") ? 3001 : 925,
               "INSERT into several tables");
        return;
    }
    say(t, "INSERT INTO");
    if (!read_target(t, &at, &target)) {
        free(target.column);
        return;
    }
    if (is_name(t, at) && !is_keyword(t, at))
        refuse(t, 3001, "an alias of the table");
    const bool list =
        is(t, at, "(") && !is(t, at + 1, "select") && !is(t, at + 1, "with");
    const unsigned count = read_columns(t, list ? at : t->count, &target, of);
    size_t end = t->count;
    if (list) {
        at = t->close[at] + 1;
    } else if (is(t, at, "(")) { // the query may be in parentheses
        end = t->close[at];
        if (end + 1 < t->count)
            refuse(t, 933, "");
        at++;
    }
    if (is(t, at, "values") && is(t, at + 1, "("))
        say_values(t, at + 1, &target, of, count);
    else if (!is(t, at, "select") && !is(t, at, "with"))
        refuse(t, 926, "");
    else if (target.count > 0)
        say_rows(t, at, end, &target, of, count);
    else {
        say(t, " ");
        say_query(t, at, end);
    }
    free(target.column);
}

// One `column = value` of a SET clause.
static void say_setting(struct translator *t, size_t from, size_t to,
                        const struct target *target) {
    char name[LONGEST_NAME + 1];
    size_t at = from;
    if (is(t, at, "(")) {
        refuse(t, 3001, "SET of several columns");
        return;
    }
    while (is(t, at + 1, ".") && at + 2 < to)
        at += 2;
    if (!is_name(t, at) || !is(t, at + 1, "=") ||
        !spell(&t->tokens[at], name)) {
        refuse(t, 927, "");
        return;
    }
    const struct target_column *column = column_named(target, name);
    if (target->count > 0 && !column)
        refuse_token(t, 904, at);
    say(t, " ");
    say_name(t, at);
    say(t, " =");
    const size_t begin = t->length;
    if (is(t, at + 2, "default") && to == at + 3)
        refuse(t, 3001, "DEFAULT as a value");
    say_whole_value(t, at + 2, to, 933);
    assign_to(t, begin, target, column);
}

// The alias at *at, if there is one.
static void say_alias(struct translator *t, size_t *at) {
    if (!is_name(t, *at) || is_keyword(t, *at))
        return;
    say(t, " AS ");
    say_name(t, (*at)++);
}

static void say_condition_of(struct translator *t, size_t at) {
    if (at == t->count)
        return;
    if (!is(t, at, "where")) {
        refuse(t, 933, "");
        return;
    }
    if (where_limits_rows(t, at + 1, t->count)) {
        refuse(t, 3001, "ROWNUM here");
        return;
    }
    say(t, " WHERE");
    say_condition(t, at + 1, t->count);
}

void say_update(struct translator *t) {
    struct target target;
    size_t at = 1;
    say(t, "UPDATE");
    if (!read_target(t, &at, &target)) {
        free(target.column);
        return;
    }
    say_alias(t, &at);
    if (!is(t, at, "set")) {
        refuse(t, 971, "");
        free(target.column);
        return;
    }
    say(t, " SET");
    const size_t where = find(t, at, t->count, "where");
    for (size_t from = at + 1; from <= where && !t->result->error;) {
        size_t end = find(t, from, where, ",");
        if (from > at + 1)
            say(t, ",");
        say_setting(t, from, end, &target);
        from = end + 1;
    }
    say_condition_of(t, where);
    free(target.column);
}

void say_delete(struct translator *t) {
    size_t at = is(t, 1, "from") ? 2 : 1;
    say(t, "DELETE FROM");
    say_table_name(t, &at, t->count);
    say_alias(t, &at);
    say_condition_of(t, at);
}
