// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

bool name_to_dictionary(const struct token *token, char *to) {
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

bool target_read(struct translator *t, size_t *at, struct target *target) {
    char owner[LONGEST_NAME + 1] = "", table[LONGEST_NAME + 1];
    const bool owned = source_is(t, *at + 1, ".");
    *target = (struct target){.name_at = *at + (owned ? 2 : 0)};
    if (!source_is_name(t, *at) || (owned && !source_is_name(t, *at + 2)) ||
        source_is_keyword(t, *at)) {
        source_refuse(t, 903, "");
        return false;
    }
    if ((owned && !name_to_dictionary(&t->tokens[*at], owner)) ||
        !name_to_dictionary(&t->tokens[*at + (owned ? 2 : 0)], table)) {
        source_refuse(t, 972, "");
        return false;
    }
    if (t->catalog)
        t->catalog->table(t->catalog->data, owner, table, take, target);
    if (target->failed)
        source_refuse(t, 4030, "");
    snprintf(target->name, sizeof target->name, "%s.\"%s\"", t->own_schema,
             table);
    emit_table_name(t, at, t->count);
    return !t->result->error;
}

const struct target_column *target_column_named(const struct target *target,
                                                const char *name) {
    for (unsigned i = 0; i < target->count; i++)
        if (strcmp(target->column[i].name, name) == 0)
            return &target->column[i];
    return NULL;
}

static bool is_own_schema(const struct translator *t, const char *owner) {
    const size_t length = strlen(owner); // own_schema is quoted
    return strlen(t->own_schema) == length + 2 &&
           memcmp(t->own_schema + 1, owner, length) == 0;
}

void target_check_qualifier(struct translator *t, const struct target *target,
                            size_t from, size_t column) {
    const size_t called = target->alias ? target->alias : target->name_at;
    char owner[LONGEST_NAME + 1];
    if (from == column)
        return;
    bool right = name_equals(&t->tokens[column - 2], &t->tokens[called]);
    if (right && column - from == 4)
        right = !target->alias && name_to_dictionary(&t->tokens[from], owner) &&
                is_own_schema(t, owner);
    if (!right || column - from > 4) {
        char about[2 * LONGEST_NAME + 8], table[LONGEST_NAME + 1],
            name[LONGEST_NAME + 1];
        if (name_to_dictionary(&t->tokens[column - 2], table) &&
            name_to_dictionary(&t->tokens[column], name)) {
            snprintf(about, sizeof about, "%s\".\"%s", table, name);
            source_refuse(t, 904, about);
        }
    }
}

void target_assign(struct translator *t, size_t begin,
                   const struct target *target,
                   const struct target_column *column) {
    if (!column)
        return; // the table is unknown: SQLite will report that
    emit_at(t, begin, " ASSIGN$(");
    emit_text(t, ",'");
    emit_text(t, column->declared);
    emit_text(t, "','");
    for (const char *c = target->name; *c; c++)
        emit_text(t, *c == '\'' ? "''" : (const char[]){*c, 0});
    emit_text(t, ".\"");
    for (const char *c = column->name; *c; c++)
        emit_text(t, *c == '\'' ? "''" : (const char[]){*c, 0});
    emit_text(t, "\"')");
}
