// SPDX-License-Identifier: GPL-2.0-or-later
// INSERT. Every stored value passes through ASSIGN$, which converts and checks
// it by the column's type.
#include <stdio.h>
#include <stdlib.h>

#include "sql/target.h"

// Reads the column list at `open`, or takes all columns of the table. Returns
// their number, and in `of` the index of each.
static unsigned read_columns(struct translator *t, size_t open,
                             const struct target *target,
                             const struct target_column **of) {
    unsigned n = 0;
    if (!source_is(t, open, "(")) {
        for (; n < target->count; n++)
            of[n] = &target->column[n];
        return n;
    }
    const size_t close = t->close[open];
    emit_text(t, " (");
    for (size_t at = open + 1; at < close && !t->result->error; at += 2) {
        char name[LONGEST_NAME + 1];
        // The column may be qualified by the table's name.
        const size_t first = at;
        while (source_is(t, at + 1, ".") && at + 2 < close)
            at += 2;
        target_check_qualifier(t, target, first, at);
        if (source_is_reserved(t, at))
            source_refuse(t, 1747, "");
        if (!source_is_name(t, at) ||
            (at + 1 < close && !source_is(t, at + 1, ",")) ||
            !name_to_dictionary(&t->tokens[at], name)) {
            source_refuse(t, 1747, "");
            return 0;
        }
        of[n] = target_column_named(target, name);
        if (target->count > 0 && !of[n])
            source_refuse_token(t, 904, at);
        for (unsigned i = 0; i < n; i++)
            if (of[n] && of[i] == of[n])
                source_refuse(t, 957, "");
        if (n++ > 0)
            emit_text(t, ",");
        emit_name(t, at);
        if (n == MOST_COLUMNS_OF_A_TABLE)
            source_refuse(t, 913, "");
    }
    emit_text(t, ")");
    return n;
}

static void emit_values(struct translator *t, size_t open,
                        const struct target *target,
                        const struct target_column *const *of, unsigned count) {
    const size_t close = t->close[open];
    unsigned n = 0;
    emit_text(t, " VALUES (");
    for (size_t from = open + 1; from <= close && !t->result->error;) {
        size_t end = source_find(t, from, close, ",");
        if (n > 0)
            emit_text(t, ",");
        const size_t begin = t->length;
        if (source_is(t, from, "default") && end == from + 1)
            source_refuse(t, 3001, "DEFAULT as a value");
        emit_whole_value(t, from, end, 917);
        if (n < count)
            target_assign(t, begin, target, of[n]);
        n++;
        from = end + 1;
    }
    emit_text(t, ")");
    if (target->count > 0 && n != count)
        source_refuse(t, n < count ? 947 : 913, "");
    if (close + 1 < t->count)
        source_refuse(t, 933, "");
}

// Inserts the rows of a query, each value assigned to its column.
static void emit_rows(struct translator *t, size_t select, size_t end,
                      const struct target *target,
                      const struct target_column *const *of, unsigned count) {
    char name[32];
    emit_text(t, " WITH \"ROWS$\"(");
    for (unsigned i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%sC%u", i ? "," : "", i);
        emit_text(t, name);
    }
    emit_text(t, ") AS (");
    emit_query(t, select, end);
    emit_text(t, ") SELECT ");
    for (unsigned i = 0; i < count; i++) {
        if (i > 0)
            emit_text(t, ",");
        const size_t begin = t->length;
        snprintf(name, sizeof name, " C%u", i);
        emit_text(t, name);
        target_assign(t, begin, target, of[i]);
    }
    emit_text(t, " FROM \"ROWS$\"");
}

void emit_insert(struct translator *t) {
    const struct target_column *of[MOST_COLUMNS_OF_A_TABLE];
    struct target target;
    size_t at = 2;
    if (!source_is(t, 1, "into")) {
        source_refuse(
            t, source_is(t, 1, "all") || source_is(t, 1, "first") ? 3001 : 925,
            "INSERT into several tables");
        return;
    }
    emit_text(t, "INSERT INTO");
    if (!target_read(t, &at, &target)) {
        free(target.column);
        return;
    }
    if (source_is_name(t, at) && !source_is_keyword(t, at))
        source_refuse(t, 3001, "an alias of the table");
    const bool list = source_is(t, at, "(") &&
                      !source_is(t, at + 1, "select") &&
                      !source_is(t, at + 1, "with");
    const unsigned count = read_columns(t, list ? at : t->count, &target, of);
    size_t end = t->count;
    if (list) {
        at = t->close[at] + 1;
    } else if (source_is(t, at, "(")) { // the query may be parenthesised
        end = t->close[at];
        if (end + 1 < t->count)
            source_refuse(t, 933, "");
        at++;
    }
    if (source_is(t, at, "values") && source_is(t, at + 1, "("))
        emit_values(t, at + 1, &target, of, count);
    else if (!source_is(t, at, "select") && !source_is(t, at, "with"))
        source_refuse(t, 926, "");
    else if (target.count > 0)
        emit_rows(t, at, end, &target, of, count);
    else {
        emit_text(t, " ");
        emit_query(t, at, end);
    }
    free(target.column);
}
