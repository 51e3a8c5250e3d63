// SPDX-License-Identifier: GPL-2.0-or-later
// INSERT, UPDATE and DELETE. Every stored value passes through ASSIGN$, which
// converts and checks it by the column's type.
#include <stdio.h>

#include "sql/emit/emitter.h"

static void emit_in_text(struct emitter *e, const char *text) {
    for (const char *c = text; *c; c++)
        emit_text(e, *c == '\'' ? "''" : (const char[]){*c, 0});
}

// The arguments of ASSIGN$ after the value.
static void emit_column(struct emitter *e, const struct column_def *column) {
    char table[LONGEST_NAME + 1];
    name_spell(&e->s->tokens[e->s->tree->target->table.last], table);
    emit_text(e, ",'");
    emit_text(e, column->declared);
    emit_text(e, "','");
    emit_in_text(e, e->schema);
    emit_text(e, ".\"");
    emit_in_text(e, table);
    emit_text(e, "\".\"");
    emit_in_text(e, column->name);
    emit_text(e, "\"')");
}

void emit_assigned(struct emitter *e, const struct expr *value,
                   const struct column_def *column) {
    emit_text(e, column ? " ASSIGN$(" : "");
    emit_value(e, value);
    if (column)
        emit_column(e, column);
}

// The columns that INSERT fills, one after the other.
struct filled {
    const struct names_of_columns *listed;
    const struct column_def *all;
};

static struct filled first_filled(const struct tree *tree) {
    if (tree->has_columns)
        return (struct filled){.listed = tree->columns};
    return (struct filled){.all = tree->target->columns.first};
}

static const struct column_def *next_filled(struct filled *at) {
    const struct column_def *column = at->listed ? at->listed->target : at->all;
    at->listed = at->listed ? at->listed->next : NULL;
    at->all = at->all ? at->all->next : NULL;
    return column;
}

static void emit_new_values(struct emitter *e) {
    struct filled column = first_filled(e->s->tree);
    const struct expr *first = e->s->tree->values.first;
    emit_text(e, " VALUES (");
    for (const struct expr *one = first; one; one = one->next) {
        emit_text(e, one == first ? "" : ",");
        emit_assigned(e, one, next_filled(&column));
    }
    emit_text(e, ")");
}

// Inserts the rows of a query, each value assigned to its column.
static void emit_rows(struct emitter *e) {
    const struct tree *tree = e->s->tree;
    struct filled at = first_filled(tree);
    unsigned count = tree->target->columns.count;
    char name[32];
    if (tree->has_columns)
        for (count = 0; at.listed; next_filled(&at))
            count++;
    emit_text(e, " WITH \"ROWS$\"(");
    for (unsigned i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%sC%u", i ? "," : "", i);
        emit_text(e, name);
    }
    emit_text(e, ") AS (");
    emit_query(e, tree->query);
    emit_text(e, ") SELECT ");
    at = first_filled(tree);
    for (unsigned i = 0; i < count; i++) {
        const struct column_def *column = next_filled(&at);
        snprintf(name, sizeof name, " C%u", i);
        emit_text(e, i > 0 ? "," : "");
        emit_text(e, column ? " ASSIGN$(" : "");
        emit_text(e, name);
        if (column)
            emit_column(e, column);
    }
    emit_text(e, " FROM \"ROWS$\"");
}

static void emit_insert(struct emitter *e) {
    const struct tree *tree = e->s->tree;
    emit_text(e, "INSERT INTO");
    emit_table(e, tree->target);
    if (tree->has_columns) {
        const struct names_of_columns *first = tree->columns;
        emit_text(e, " (");
        for (const struct names_of_columns *one = first; one; one = one->next) {
            emit_text(e, one == first ? "" : ",");
            emit_name(e, one->name.last);
        }
        emit_text(e, ")");
    }
    if (!tree->query) {
        emit_new_values(e);
    } else if (tree->target->columns.known) {
        emit_rows(e);
    } else {
        emit_text(e, " ");
        emit_query(e, tree->query);
    }
}

static void emit_target(struct emitter *e, const char *words) {
    const struct source *target = e->s->tree->target;
    emit_text(e, words);
    emit_table(e, target);
    if (target->alias) {
        emit_text(e, " AS ");
        emit_name(e, target->alias);
    }
}

// (a, b) = (query)
static void emit_row_setting(struct emitter *e, const struct assignment *set) {
    const struct names_of_columns *names = set->columns;
    unsigned count = 0;
    char value[32];
    for (; names; names = names->next) {
        emit_text(e, count++ == 0 ? "(" : ",");
        emit_name(e, names->name.last);
    }
    emit_text(e, ") = ");
    emit_only_row(e, set->query, count);
    emit_text(e, " SELECT");
    names = set->columns;
    for (unsigned i = 0; i < count; i++, names = names->next) {
        snprintf(value, sizeof value, "ONE_ROW$(C%u)", i);
        emit_text(e, i > 0 ? ", " : " ");
        emit_text(e, names->target ? "ASSIGN$(" : "");
        emit_text(e, value);
        if (names->target)
            emit_column(e, names->target);
    }
    emit_text(e, " FROM \"ROW$\")");
}

static void emit_settings(struct emitter *e) {
    const struct assignment *first = e->s->tree->assignments.first;
    emit_text(e, " SET");
    for (const struct assignment *one = first; one; one = one->next) {
        emit_text(e, one == first ? " " : ", ");
        if (one->query) {
            emit_row_setting(e, one);
            continue;
        }
        emit_name(e, one->column.last);
        emit_text(e, " =");
        emit_assigned(e, one->value, one->target);
    }
}

void take_into(struct emitter *e, const struct exprs *into) {
    if (!into->first)
        return;
    const unsigned first = placeholder_at(e->s, into->first->from) - 1;
    e->result->into_from = first;
    e->result->into_to = first + into->count;
}

void emit_change(struct emitter *e) {
    const struct tree *tree = e->s->tree;
    if (tree->kind == TREE_INSERT)
        emit_insert(e);
    else
        emit_target(e, tree->kind == TREE_UPDATE ? "UPDATE" : "DELETE FROM");
    if (tree->kind == TREE_UPDATE)
        emit_settings(e);
    if (tree->where) {
        emit_text(e, " WHERE");
        emit_condition(e, tree->where);
    }
    if (tree->returning) {
        emit_text(e, " RETURNING");
        emit_values(e, &tree->returning->values);
        take_into(e, &tree->returning->into);
    }
}
