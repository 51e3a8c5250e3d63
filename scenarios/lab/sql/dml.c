// SPDX-License-Identifier: GPL-2.0-or-later
// UPDATE and DELETE.
#include <stdlib.h>

#include "sql/target.h"

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
    check_qualifier(t, target, from, at);
    if (is_reserved(t, at))
        refuse(t, 1747, "");
    if (!is_name(t, at) || !is(t, at + 1, "=") ||
        !dictionary_name(&t->tokens[at], name)) {
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
    if (!is_name(t, *at) || is_keyword(t, *at) || !may_be_named(t, *at))
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
    const size_t alias = at;
    say_alias(t, &at);
    target.alias = at > alias ? alias : 0;
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
