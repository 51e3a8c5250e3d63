// SPDX-License-Identifier: GPL-2.0-or-later
// CREATE, DROP and TRUNCATE TABLE, CREATE and DROP INDEX in the user's own
// schema. SQLite enforces no types: the statements that store values convert
// and check them.
#include <ctype.h>
#include <string.h>

#include "sql/emit/emitter.h"
#include "sql/functions/annotation_functions.h"

// A name may be qualified by its owner. SQLite refuses a schema that is not the
// user's own.
void emit_own(struct emitter *e, struct name name) {
    emit_text(e, " ");
    if (name.first < name.last)
        emit_name(e, name.first);
    else
        emit_text(e, e->schema);
    emit_text(e, ".");
    emit_name(e, name.last);
}

// SQLite keeps the text of CREATE TABLE: the dictionary shows the user's
// text.
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
        // SQLite would name a condition that begins with a quoted name by that
        // name alone.
        emit_text(e, " CHECK ((");
        emit_condition(e, one->expr);
        emit_text(e, "))");
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
    e->result->forces = tree->forces;
    emit_text(e, "CREATE TABLE");
    emit_own(e, tree->target->table);
    if (tree->query) {
        e->result->name_to = e->length;
        emit_text(e, " AS ");
        e->result->query_at = e->length;
        emit_query(e, tree->query);
        if (tree->clustered)
            emit_clustered(e);
        return;
    }
    emit_text(e, " (");
    emit_text(e, tree->forces ? ANNOTATION_FORCE : ANNOTATION_DEFAULT);
    for (const struct column_spec *one = tree->specs.first; one;
         one = one->next) {
        emit_text(e, one == tree->specs.first ? "" : ",");
        emit_spec(e, one);
    }
    emit_text(e, ")");
    if (tree->clustered)
        emit_clustered(e);
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

static void annotate(struct emitter *e) {
    const struct tree *tree = e->s->tree;
    char name[LONGEST_NAME + 1];
    e->result->annotates = true;
    e->result->forces = tree->forces;
    emit_text(e, "UPDATE ");
    emit_text(e, e->schema);
    emit_text(e, ".sqlite_master SET sql = ANNOTATED$(sql,");
    emit_text(e, tree->forces ? "1" : "0");
    emit_text(e, ") WHERE type = 'table' AND name = ");
    name_spell(&e->s->tokens[tree->target->table.last], name);
    emit_string(e, name, strlen(name)); // it may have an apostrophe
}

static void alter_table(struct emitter *e) {
    const struct alteration *change = &e->s->tree->alteration;
    if (e->s->tree->annotates) {
        annotate(e);
        return;
    }
    emit_text(e, "ALTER TABLE");
    emit_own(e, e->s->tree->target->table);
    if (e->s->tree->specs.first) {
        emit_text(e, " ADD COLUMN");
        emit_spec(e, e->s->tree->specs.first);
        return;
    }
    emit_text(e, change->drops     ? " DROP COLUMN "
                 : change->renames ? " RENAME COLUMN "
                                   : " RENAME TO ");
    if (change->drops || change->renames)
        emit_name(e, change->drops ? change->drops : change->renames);
    emit_text(e, change->renames ? " TO " : "");
    if (change->to)
        emit_name(e, change->to);
}

void emit_definition(struct emitter *e) {
    const struct source *target = e->s->tree->target;
    const struct name name = target ? target->table : (struct name){0, 0};
    switch (e->s->tree->kind) {
    case TREE_CREATE_TABLE:
        create_table(e);
        break;
    case TREE_CREATE_INDEX:
        create_index(e);
        break;
    case TREE_ALTER_TABLE:
        alter_table(e);
        break;
    case TREE_CREATE_CLUSTER:
    case TREE_DROP_CLUSTER:
        emit_cluster_definition(e);
        break;
    case TREE_CREATE_VIEW:
    case TREE_DROP_VIEW:
    case TREE_CREATE_SYNONYM:
    case TREE_DROP_SYNONYM:
        emit_view_definition(e);
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
