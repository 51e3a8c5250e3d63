// SPDX-License-Identifier: GPL-2.0-or-later
// CREATE, DROP and TRUNCATE TABLE, CREATE and DROP INDEX in the user's own
// schema. SQLite enforces no types: the statements that store values convert
// and check them.
#include <ctype.h>

#include "sql/emit/emitter.h"

// A name may be qualified by its owner. SQLite refuses a schema that is not the
// user's own.
static void emit_own(struct emitter *e, struct name name) {
    emit_text(e, " ");
    if (name.first < name.last)
        emit_name(e, name.first);
    else
        emit_text(e, e->schema);
    emit_text(e, ".");
    emit_name(e, name.last);
}

// SQLite keeps the text of CREATE TABLE: the dictionary shows what the user
// wrote.
static void emit_original(struct emitter *e, const char *from, const char *to) {
    while (from < to && isspace((unsigned char)*from))
        from++;
    while (to > from && isspace((unsigned char)to[-1]))
        to--;
    emit_text(e, " /*+");
    emit_bytes(e, from, (size_t)(to - from));
    emit_text(e, "*/");
}

static void emit_columns_of(struct emitter *e, const struct constraint *one) {
    if (one->columns.count == 0)
        return;
    emit_text(e, " (");
    emit_names(e, &one->columns);
    emit_text(e, ")");
}

static void emit_constraint(struct emitter *e, const struct constraint *one,
                            const struct type_name *type) {
    switch (one->kind) {
    case CONSTRAINT_DEFAULT:
        emit_text(e, " DEFAULT (ASSIGN$(");
        emit_value(e, one->expr);
        emit_text(e, ",'");
        emit_text(e, type->declared);
        emit_text(e, "','DEFAULT'))");
        emit_original(e, one->text, one->text_end);
        break;
    case CONSTRAINT_NAME:
        emit_text(e, " CONSTRAINT ");
        emit_name(e, one->name);
        break;
    case CONSTRAINT_NOT_NULL:
        emit_text(e, " NOT NULL");
        break;
    case CONSTRAINT_PRIMARY:
        emit_text(e, " PRIMARY KEY");
        emit_columns_of(e, one);
        break;
    case CONSTRAINT_UNIQUE:
        emit_text(e, " UNIQUE");
        emit_columns_of(e, one);
        break;
    case CONSTRAINT_CHECK:
        emit_text(e, " CHECK (");
        emit_condition(e, one->expr);
        emit_text(e, ")");
        emit_original(e, one->text, one->text_end);
        break;
    default:
        break;
    }
}

static bool has(const struct column_spec *column, int kind) {
    for (const struct constraint *one = column->constraints.first; one;
         one = one->next)
        if ((int)one->kind == kind)
            return true;
    return false;
}

static void emit_spec(struct emitter *e, const struct column_spec *column) {
    if (column->name) {
        emit_text(e, " ");
        emit_name(e, column->name);
        emit_text(e, " ");
        emit_text(e, column->type->declared);
        // SQLite allows NULL in a primary key. By the words that change nothing
        // the dictionary's views know that this is no constraint of its own.
        if (has(column, CONSTRAINT_PRIMARY) &&
            !has(column, CONSTRAINT_NOT_NULL))
            emit_text(e, " NOT NULL ON CONFLICT ABORT");
    }
    for (const struct constraint *one = column->constraints.first; one;
         one = one->next)
        emit_constraint(e, one, column->type);
}

static void create_table(struct emitter *e) {
    const struct tree *tree = e->s->tree;
    emit_text(e, "CREATE TABLE");
    emit_own(e, tree->target->table);
    if (tree->query) {
        e->result->name_to = e->length;
        emit_text(e, " AS ");
        e->result->query_at = e->length;
        emit_query(e, tree->query);
        return;
    }
    emit_text(e, " (");
    for (const struct column_spec *one = tree->specs.first; one;
         one = one->next) {
        emit_text(e, one == tree->specs.first ? "" : ",");
        emit_spec(e, one);
    }
    emit_text(e, ")");
}

static void create_index(struct emitter *e) {
    const struct tree *tree = e->s->tree;
    emit_text(e, tree->unique ? "CREATE UNIQUE INDEX" : "CREATE INDEX");
    emit_own(e, tree->name);
    emit_text(e, " ON ");
    emit_name(e, tree->target->table.last);
    emit_text(e, " (");
    for (const struct expr *one = tree->index.first; one; one = one->next) {
        emit_text(e, one == tree->index.first ? "" : ",");
        emit_name(e, one->name.last);
    }
    emit_text(e, ")");
}

void emit_definition(struct emitter *e) {
    const struct name name = e->s->tree->target->table;
    switch (e->s->tree->kind) {
    case TREE_CREATE_TABLE:
        create_table(e);
        break;
    case TREE_CREATE_INDEX:
        create_index(e);
        break;
    case TREE_DROP_TABLE:
        emit_text(e, "DROP TABLE");
        emit_own(e, name);
        break;
    case TREE_DROP_INDEX:
        emit_text(e, "DROP INDEX");
        emit_own(e, name);
        break;
    default:
        emit_text(e, "DELETE FROM");
        emit_own(e, name);
    }
}
