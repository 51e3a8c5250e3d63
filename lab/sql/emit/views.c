// SPDX-License-Identifier: GPL-2.0-or-later
// CREATE and DROP of views and synonyms. Either is a view of SQLite's with one
// row: the statement, and for each column of a view its type and its
// name in the query, with a colon between them. So they have names like
// tables, and a change of them is one of the schema, which cursors notice.
#include <stdio.h>
#include <string.h>

#include "sql/emit/emitter.h"
#include "sql/types/view_marks.h"

static void emit_object(struct emitter *e) {
    const struct tree *tree = e->s->tree;
    const bool view =
        tree->kind == TREE_CREATE_VIEW || tree->kind == TREE_DROP_VIEW;
    char name[sizeof PUBLIC_SYNONYM + LONGEST_NAME] = PUBLIC_SYNONYM;
    if (!tree->is_public) {
        const struct name view_name = view ? tree->target->table : tree->name;
        emit_own(e, view_name);
        return;
    }
    name_spell(&e->s->tokens[tree->name.last],
               name + sizeof PUBLIC_SYNONYM - 1);
    emit_text(e, " ");
    emit_text(e, e->schema);
    emit_text(e, ".");
    emit_identifier(e, name);
}

static void emit_statement(struct emitter *e) {
    const struct statement *s = e->s;
    emit_string(e, s->text, (size_t)(s->tokens[s->own].at - s->text));
}

// A column: by its name in the list of CREATE VIEW, or in the query.
static const struct name_entry *emit_column(struct emitter *e,
                                            const struct name_entry *named,
                                            const struct column_def *column) {
    emit_text(e, ",");
    if (named)
        emit_name(e, named->token);
    else
        emit_identifier(e, column->name);
    return named ? named->next : NULL;
}

static void emit_inner(struct emitter *e, const struct column_def *column) {
    const char *declared = column->declared && *column->declared
                               ? column->declared
                               : operand_type_declaration(column->type);
    char text[LONGEST_NAME + 60];
    const int length =
        snprintf(text, sizeof text, "%s:%s",
                 declared ? declared : "VARCHAR2(4000)", column->name);
    emit_text(e, ",");
    emit_string(e, text, (size_t)length);
}

static void emit_create(struct emitter *e, bool view) {
    const struct tree *tree = e->s->tree;
    const struct name_entry *named = tree->view_columns.first;
    const struct column_def *columns = view ? tree->query->columns.first : NULL;
    emit_text(e, "CREATE VIEW");
    emit_object(e);
    emit_text(e, view ? "(\"" VIEW_MARK "\"" : "(\"" SYNONYM_MARK "\"");
    for (const struct column_def *one = columns; one; one = one->next)
        named = emit_column(e, named, one);
    emit_text(e, ") AS SELECT ");
    emit_statement(e);
    for (const struct column_def *one = columns; one; one = one->next)
        emit_inner(e, one);
}

void emit_view_definition(struct emitter *e) {
    const struct tree *tree = e->s->tree;
    const bool creates =
        tree->kind == TREE_CREATE_VIEW || tree->kind == TREE_CREATE_SYNONYM;
    if (!creates || tree->replaces) {
        emit_text(e, "DROP VIEW");
        emit_object(e);
    }
    if (creates && tree->replaces) {
        emit_text(e, "; ");
        e->result->second_at = e->length;
    }
    if (creates)
        emit_create(e, tree->kind == TREE_CREATE_VIEW);
}
