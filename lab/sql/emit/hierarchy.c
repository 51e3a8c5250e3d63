// SPDX-License-Identifier: GPL-2.0-or-later
// CONNECT BY as a recursive query. The rows of FROM become TREE$n's, which know
// their level (L), the keys of their ancestors (P), their columns (C0 ...),
// the values from their parent or root (V1 ...) and the keys by which
// siblings are sorted by (S1 ...). SQLite takes the row with the highest level
// first, so each row is followed by its children.
#include <stdio.h>
#include <string.h>

#include "sql/emit/emitter.h"
#include "sql/resolve/resolver.h"

enum { LEVEL_COLUMN = 1, SHORT = 40 };

static void emit_numbered(struct emitter *e, const char *format, unsigned n) {
    char text[SHORT];
    snprintf(text, sizeof text, format, n);
    emit_text(e, text);
}

// The columns of the row in question: a child, or a node.
static void emit_alias(struct emitter *e, const struct hierarchy *hierarchy) {
    emit_numbered(
        e, hierarchy->row == ROW_CHILD ? " \"CHILD$%u\"" : " \"NODE$%u\"",
        hierarchy->from);
}

// The place of a table's column among all columns of the block.
static unsigned place_of(const struct emitter *e, const struct block *block,
                         const struct source *source, unsigned name) {
    unsigned place = 0;
    const struct source *candidate = block->sources;
    for (; candidate != source; candidate = candidate->next)
        place += candidate->columns.count;
    const struct column_def *def = source->columns.first;
    for (; def && !name_spells(&e->s->tokens[name], def->name); def = def->next)
        place++;
    return place;
}

void emit_hierarchy_column(struct emitter *e, const struct expr *column) {
    const struct hierarchy *hierarchy = column->source->hierarchy;
    emit_alias(e, hierarchy);
    emit_numbered(
        e, ".C%u",
        place_of(e, hierarchy->block, column->source, column->name.last));
}

// Runs over the columns of all tables, or of the one that is named.
void emit_hierarchy_star(struct emitter *e, const struct block *block,
                         const struct item *item) {
    const unsigned number = block->hierarchy->from;
    const char *separator = "";
    unsigned place = 0;
    for (const struct source *one = block->sources; one; one = one->next) {
        const unsigned called = one->alias ? one->alias : one->table.last;
        const bool needs_level =
            !item->table.first ||
            (called && name_equals(&e->s->tokens[called],
                                   &e->s->tokens[item->table.last]));
        const struct column_def *def = one->columns.first;
        for (; def; def = def->next, place++) {
            if (!needs_level)
                continue;
            emit_text(e, separator);
            emit_numbered(e, " \"NODE$%u\"", number);
            emit_numbered(e, ".C%u AS ", place);
            emit_identifier(e, def->name);
            separator = ",";
        }
    }
}

// A query without a name is alone.
static void emit_qualifier(struct emitter *e, const struct source *source) {
    const unsigned name = source->alias ? source->alias : source->table.last;
    if (!name && source->query)
        return;
    emit_name(e, name);
    emit_text(e, ".");
}

// The rows of FROM, joined.
static void emit_rows(struct emitter *e, const struct block *block) {
    struct hierarchy *hierarchy = block->hierarchy;
    unsigned place = 0;
    hierarchy->row = ROW_TABLE;
    for (const struct source *one = block->sources; one; one = one->next) {
        const struct column_def *def = one->columns.first;
        for (; def; def = def->next) {
            emit_text(e, place > 0 ? ", " : " (SELECT ");
            emit_qualifier(e, one);
            emit_identifier(e, def->name);
            emit_numbered(e, " AS C%u", place++);
        }
    }
    emit_sources(e, block);
    emit_hierarchy_where(e, block, true);
    emit_text(e, ") AS");
    hierarchy->row = ROW_CHILD;
    emit_alias(e, hierarchy);
}

// Their names, or the child's values.
static void emit_columns(struct emitter *e, const struct block *block,
                         bool values) {
    unsigned place = 0;
    for (const struct source *one = block->sources; one; one = one->next)
        for (unsigned i = 0; i < one->columns.count; i++) {
            emit_text(e, ",");
            if (values)
                emit_alias(e, block->hierarchy);
            emit_numbered(e, values ? ".C%u" : " C%u", place++);
        }
}

// The child's key is made of the operands of PRIOR in the condition.
static void emit_key(struct emitter *e, const struct hierarchy *hierarchy) {
    for (const struct expr *one = hierarchy->priors.first; one;
         one = one->next_carried) {
        emit_text(e, ",");
        emit_value(e, one->left);
    }
    emit_text(e, ")");
}

static void emit_parent(struct emitter *e, const struct hierarchy *hierarchy,
                        const char *column) {
    emit_numbered(e, " \"NODE$%u\".", hierarchy->from);
    emit_text(e, column);
}

// SYS_CONNECT_BY_PATH: the text so far, and one more step.
static void emit_step(struct emitter *e, const struct hierarchy *hierarchy,
                      const struct expr *path, bool root) {
    emit_text(e, " CONNECT_STEP$(");
    if (root)
        emit_text(e, "NULL");
    else
        emit_parent(e, hierarchy, "V");
    if (!root)
        emit_numbered(e, "%u", path->carried);
    emit_text(e, ",");
    emit_values(e, &path->list);
    emit_text(e, ")");
}

// The values that a new row carries; `root`: it has no parent.
static void emit_carried_values(struct emitter *e, struct hierarchy *hierarchy,
                                bool root) {
    const struct expr *expr = hierarchy->values.first;
    for (; expr; expr = expr->next_carried) {
        emit_text(e, ",");
        if (expr->kind == EXPR_CALL) {
            emit_step(e, hierarchy, expr, root);
        } else if (expr->kind == EXPR_ROOT && !root) {
            emit_parent(e, hierarchy, "V");
            emit_numbered(e, "%u", expr->carried);
        } else if (expr->kind == EXPR_PRIOR && root) {
            emit_text(e, " NULL");
        } else {
            hierarchy->row = expr->kind == EXPR_PRIOR ? ROW_NODE : ROW_CHILD;
            emit_value(e, expr->left);
            hierarchy->row = ROW_CHILD;
        }
    }
}

static void emit_sibling_keys(struct emitter *e, const struct block *block) {
    const struct order_term *term = block->order.first;
    for (; block->order.siblings && term; term = term->next) {
        emit_text(e, term->by_key ? ", SORT_KEY$(" : ",");
        emit_value(e, term->item ? term->item->value : term->value);
        emit_text(e, term->by_key ? ")" : "");
    }
}

static void emit_new_row(struct emitter *e, const struct block *block,
                         bool root) {
    struct hierarchy *hierarchy = block->hierarchy;
    hierarchy->row = ROW_CHILD;
    hierarchy->starting = root;
    if (root) {
        emit_text(e, "SELECT 1, CONNECT_PATH$(0,NULL");
    } else {
        emit_text(e, "SELECT");
        emit_parent(e, hierarchy, "L + 1, ");
        emit_text(e,
                  hierarchy->nocycle ? "CONNECT_PATH$(1," : "CONNECT_PATH$(0,");
        emit_parent(e, hierarchy, "P");
    }
    emit_key(e, hierarchy);
    emit_columns(e, block, true);
    emit_carried_values(e, hierarchy, root);
    emit_sibling_keys(e, block);
    hierarchy->starting = false;
    emit_text(e, " FROM");
}

// Whether the child is one of the node, which PRIOR is of.
static void emit_connection(struct emitter *e, struct hierarchy *hierarchy) {
    hierarchy->row = ROW_CHILD;
    emit_text(e, " (");
    emit_condition(e, hierarchy->connect);
    emit_text(e, ")");
}

static void emit_loops(struct emitter *e, const struct hierarchy *hierarchy,
                       const char *loops) {
    emit_text(e, " AND ");
    emit_text(e, loops);
    emit_text(e, " CONNECT_LOOPS$(");
    emit_parent(e, hierarchy, "P");
    emit_key(e, hierarchy);
}

static void emit_recursion(struct emitter *e, const struct block *block) {
    struct hierarchy *hierarchy = block->hierarchy;
    emit_new_row(e, block, false);
    emit_numbered(e, " \"TREE$%u\" AS", hierarchy->from);
    emit_numbered(e, " \"NODE$%u\" CROSS JOIN", hierarchy->from);
    emit_rows(e, block);
    emit_text(e, " WHERE");
    emit_connection(e, hierarchy);
    if (hierarchy->nocycle)
        emit_loops(e, hierarchy, "NOT");
}

static void emit_sibling_order(struct emitter *e, const struct block *block,
                               unsigned column) {
    const struct order_term *term = block->order.first;
    emit_numbered(e, " ORDER BY %u DESC", LEVEL_COLUMN);
    for (; block->order.siblings && term; term = term->next) {
        emit_numbered(e, ", %u", column++);
        emit_text(e, term->descending ? " DESC" : "");
        emit_text(e, term->nulls_first ? " NULLS FIRST" : " NULLS LAST");
    }
}

void emit_hierarchy(struct emitter *e, const struct block *block) {
    struct hierarchy *hierarchy = block->hierarchy;
    const struct order_term *key = block->order.first;
    unsigned column = LEVEL_COLUMN + 2;
    emit_numbered(e, " FROM (WITH RECURSIVE \"TREE$%u\"(L, P", hierarchy->from);
    emit_columns(e, block, false);
    for (const struct source *one = block->sources; one; one = one->next)
        column += one->columns.count;
    for (unsigned i = 1; i <= hierarchy->values.count; i++, column++)
        emit_numbered(e, ", V%u", i);
    for (unsigned i = 1; block->order.siblings && key; i++, key = key->next)
        emit_numbered(e, ", S%u", i);
    emit_text(e, ") AS (");
    emit_new_row(e, block, true);
    emit_rows(e, block);
    if (hierarchy->start) {
        hierarchy->starting = true;
        emit_text(e, " WHERE");
        emit_condition(e, hierarchy->start);
        hierarchy->starting = false;
    }
    emit_text(e, " UNION ALL ");
    emit_recursion(e, block);
    emit_sibling_order(e, block, column);
    emit_numbered(e, ") SELECT * FROM \"TREE$%u\") AS", hierarchy->from);
    hierarchy->row = ROW_NODE;
    emit_alias(e, hierarchy);
}

// Whether the node has a child; `loops`: one that is its ancestor.
static void emit_has_child(struct emitter *e, struct hierarchy *hierarchy,
                           bool loops) {
    emit_text(e,
              loops ? " EXISTS (SELECT 1 FROM" : " NOT EXISTS (SELECT 1 FROM");
    emit_rows(e, hierarchy->block);
    emit_text(e, " WHERE");
    emit_connection(e, hierarchy);
    if (hierarchy->nocycle)
        emit_loops(e, hierarchy, loops ? "" : "NOT");
    emit_text(e, ")");
    hierarchy->row = ROW_NODE;
}

void emit_pseudo_column(struct emitter *e, const struct expr *column) {
    struct hierarchy *hierarchy = column->hierarchy;
    const unsigned name = column->name.last;
    if (statement_is(e->s, name, "connect_by_isleaf")) {
        emit_has_child(e, hierarchy, false);
    } else if (statement_is(e->s, name, "connect_by_iscycle")) {
        emit_has_child(e, hierarchy, true);
    } else if (hierarchy->generates) {
        emit_text(e, "LEVEL");
    } else if (hierarchy->starting) {
        emit_text(e, "1");
    } else {
        emit_numbered(e,
                      hierarchy->row == ROW_CHILD ? "(\"NODE$%u\".L + 1)"
                                                  : "\"NODE$%u\".L",
                      hierarchy->from);
    }
}

void emit_carried(struct emitter *e, const struct expr *value) {
    struct hierarchy *hierarchy = value->hierarchy;
    if (hierarchy->row == ROW_CHILD) { // PRIOR, of the node
        hierarchy->row = ROW_NODE;
        emit_value(e, value->left);
        hierarchy->row = ROW_CHILD;
        return;
    }
    emit_parent(e, hierarchy, "V");
    emit_numbered(e, "%u", value->carried);
}

// The conditions of WHERE that join tables, or the others, with AND between.
static void emit_part(struct emitter *e, const struct block *block,
                      const struct expr *where, bool joining, bool *first) {
    enum sign sign;
    if (where->kind == EXPR_AND) {
        emit_part(e, block, where->left, joining, first);
        emit_part(e, block, where->right, joining, first);
    } else if (!rownum_bound(where, &sign) &&
               hierarchy_joins(block, where) == joining) {
        emit_text(e, *first ? " WHERE" : " AND");
        emit_condition(e, where);
        *first = false;
    }
}

void emit_hierarchy_where(struct emitter *e, const struct block *block,
                          bool joining) {
    bool first = true;
    if (block->where)
        emit_part(e, block, block->where, joining, &first);
}
