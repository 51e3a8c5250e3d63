// SPDX-License-Identifier: GPL-2.0-or-later
// UPDATE and DELETE.
#include <stdlib.h>

#include "sql/target.h"

// One `column = value` of a SET clause.
static void emit_setting(struct translator *t, size_t from, size_t to,
                         const struct target *target) {
    char name[LONGEST_NAME + 1];
    size_t at = from;
    if (source_is(t, at, "(")) {
        source_refuse(t, 3001, "SET of several columns");
        return;
    }
    while (source_is(t, at + 1, ".") && at + 2 < to)
        at += 2;
    target_check_qualifier(t, target, from, at);
    if (source_is_reserved(t, at))
        source_refuse(t, 1747, "");
    if (!source_is_name(t, at) || !source_is(t, at + 1, "=") ||
        !name_to_dictionary(&t->tokens[at], name)) {
        source_refuse(t, 927, "");
        return;
    }
    const struct target_column *column = target_column_named(target, name);
    if (target->count > 0 && !column)
        source_refuse_token(t, 904, at);
    emit_text(t, " ");
    emit_name(t, at);
    emit_text(t, " =");
    const size_t begin = t->length;
    if (source_is(t, at + 2, "default") && to == at + 3)
        source_refuse(t, 3001, "DEFAULT as a value");
    emit_whole_value(t, at + 2, to, 933);
    target_assign(t, begin, target, column);
}

// The alias at *at, if there is one.
static void emit_alias(struct translator *t, size_t *at) {
    if (!source_is_name(t, *at) || source_is_keyword(t, *at) ||
        !source_may_name(t, *at))
        return;
    emit_text(t, " AS ");
    emit_name(t, (*at)++);
}

static void emit_condition_of(struct translator *t, size_t at) {
    if (at == t->count)
        return;
    if (!source_is(t, at, "where")) {
        source_refuse(t, 933, "");
        return;
    }
    if (rownum_limits_where(t, at + 1, t->count)) {
        source_refuse(t, 3001, "ROWNUM here");
        return;
    }
    emit_text(t, " WHERE");
    emit_condition(t, at + 1, t->count);
}

void emit_update(struct translator *t) {
    struct target target;
    size_t at = 1;
    emit_text(t, "UPDATE");
    if (!target_read(t, &at, &target)) {
        free(target.column);
        return;
    }
    const size_t alias = at;
    emit_alias(t, &at);
    target.alias = at > alias ? alias : 0;
    if (!source_is(t, at, "set")) {
        source_refuse(t, 971, "");
        free(target.column);
        return;
    }
    emit_text(t, " SET");
    const size_t where = source_find(t, at, t->count, "where");
    for (size_t from = at + 1; from <= where && !t->result->error;) {
        size_t end = source_find(t, from, where, ",");
        if (from > at + 1)
            emit_text(t, ",");
        emit_setting(t, from, end, &target);
        from = end + 1;
    }
    emit_condition_of(t, where);
    free(target.column);
}

void emit_delete(struct translator *t) {
    size_t at = source_is(t, 1, "from") ? 2 : 1;
    emit_text(t, "DELETE FROM");
    emit_table_name(t, &at, t->count);
    emit_alias(t, &at);
    emit_condition_of(t, at);
}
