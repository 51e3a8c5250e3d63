// SPDX-License-Identifier: GPL-2.0-or-later
// INSERT. What a column gets passes through ASSIGN$, which converts and checks
// it by the column's type.
#include <stdio.h>
#include <stdlib.h>

#include "sql/target.h"

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
        const size_t first = at;
        while (is(t, at + 1, ".") && at + 2 < close)
            at += 2;
        check_qualifier(t, target, first, at);
        if (is_reserved(t, at))
            refuse(t, 1747, "");
        if (!is_name(t, at) || (at + 1 < close && !is(t, at + 1, ",")) ||
            !dictionary_name(&t->tokens[at], name)) {
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
