// SPDX-License-Identifier: GPL-2.0-or-later
// MERGE, as one INSERT of all rows that are to be as the statement says: those
// that are there, by their row numbers, are updated instead. SQLite reads them
// all before it changes one.
#include "sql/emit/emitter.h"

static void emit_target_name(struct emitter *e) {
    const struct source *target = e->s->tree->target;
    emit_name(e, target->alias ? target->alias : target->table.last);
}

static void emit_row(struct emitter *e, const char *after) {
    emit_text(e, " ");
    emit_target_name(e);
    emit_text(e, ".rowid");
    emit_text(e, after);
}

static const struct expr *inserted(const struct tree *tree,
                                   const struct column_def *column) {
    const struct names_of_columns *name = tree->columns;
    const struct column_def *next = tree->target->columns.first;
    for (const struct expr *entry = tree->values.first; entry;
         entry = entry->next) {
        if ((tree->has_columns ? name->target : next) == column)
            return entry;
        name = tree->has_columns ? name->next : NULL;
        next = next ? next->next : NULL;
    }
    return NULL;
}

static const struct expr *updated(const struct tree *tree,
                                  const struct column_def *column) {
    const struct assignment *assignment = tree->assignments.first;
    for (; assignment; assignment = assignment->next)
        if (assignment->target == column)
            return assignment->value;
    return NULL;
}

static void emit_new(struct emitter *e, const struct column_def *column) {
    const struct expr *value = inserted(e->s->tree, column);
    if (value)
        emit_assigned(e, value, column);
    else
        emit_text(e, " NULL");
}

static void emit_changed(struct emitter *e, const struct column_def *column) {
    const struct expr *value = updated(e->s->tree, column);
    if (value) {
        emit_assigned(e, value, column);
        return;
    }
    emit_text(e, " ");
    emit_target_name(e);
    emit_text(e, ".");
    emit_identifier(e, column->name);
}

static void emit_values_of(struct emitter *e) {
    const struct tree *tree = e->s->tree;
    const struct column_def *column = tree->target->columns.first;
    emit_text(e, " SELECT MERGED$(");
    emit_row(e, ", count(*) OVER (PARTITION BY");
    emit_row(e, "))");
    for (; column; column = column->next) {
        emit_text(e, ", CASE WHEN");
        emit_row(e, " IS NULL THEN");
        emit_new(e, column);
        emit_text(e, " ELSE");
        emit_changed(e, column);
        emit_text(e, " END");
    }
}

// Rows that WHEN wants, if its WHERE does.
static void emit_wanted(struct emitter *e, const char *which,
                        const struct expr *condition) {
    emit_text(e, " (");
    emit_row(e, which);
    if (condition) {
        emit_text(e, " AND (");
        emit_condition(e, condition);
        emit_text(e, ")");
    }
    emit_text(e, ")");
}

static void emit_rows(struct emitter *e, const struct merge *merge) {
    emit_sources(e, merge->source);
    emit_text(e, " LEFT JOIN");
    emit_table(e, e->s->tree->target);
    emit_text(e, " AS ");
    emit_target_name(e);
    emit_text(e, " ON (");
    emit_condition(e, merge->on);
    emit_text(e, ") WHERE");
    if (merge->update)
        emit_wanted(e, " IS NOT NULL", merge->update_if);
    emit_text(e, merge->update && merge->insert ? " OR" : "");
    if (merge->insert)
        emit_wanted(e, " IS NULL", merge->insert_if);
}

static void emit_settings(struct emitter *e) {
    const char *separator = " ON CONFLICT(rowid) DO UPDATE SET ";
    const struct assignment *assignment = e->s->tree->assignments.first;
    for (; assignment; assignment = assignment->next) {
        emit_text(e, separator);
        emit_identifier(e, assignment->target->name);
        emit_text(e, " = excluded.");
        emit_identifier(e, assignment->target->name);
        separator = ", ";
    }
}

void emit_merge(struct emitter *e) {
    const struct tree *tree = e->s->tree;
    const struct column_def *column = tree->target->columns.first;
    emit_text(e, "INSERT INTO");
    emit_table(e, tree->target);
    emit_text(e, "(rowid");
    for (; column; column = column->next) {
        emit_text(e, ",");
        emit_identifier(e, column->name);
    }
    emit_text(e, ")");
    emit_values_of(e);
    emit_rows(e, tree->merge);
    if (tree->merge->update)
        emit_settings(e);
}
