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

bool dictionary_name(const struct token *token, char *to) {
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

bool read_target(struct translator *t, size_t *at, struct target *target) {
    char owner[LONGEST_NAME + 1] = "", table[LONGEST_NAME + 1];
    const bool owned = is(t, *at + 1, ".");
    *target = (struct target){0};
    if (!is_name(t, *at) || (owned && !is_name(t, *at + 2)) ||
        is_keyword(t, *at)) {
        refuse(t, 903, "");
        return false;
    }
    if ((owned && !dictionary_name(&t->tokens[*at], owner)) ||
        !dictionary_name(&t->tokens[*at + (owned ? 2 : 0)], table)) {
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

const struct target_column *column_named(const struct target *target,
                                         const char *name) {
    for (unsigned i = 0; i < target->count; i++)
        if (strcmp(target->column[i].name, name) == 0)
            return &target->column[i];
    return NULL;
}

void assign_to(struct translator *t, size_t begin, const struct target *target,
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
