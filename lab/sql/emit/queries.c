// SPDX-License-Identifier: GPL-2.0-or-later
// Queries: WITH, sets, and the clauses of a SELECT in the order in which they
// apply.
#include "sql/emit/emitter.h"
#include "sql/resolve/resolver.h"

// Of each table, in the order of FROM, which is not that of the joins.
static void emit_stars(struct emitter *e, const struct block *block) {
    for (const struct source *one = block->sources; one; one = one->next) {
        emit_text(e, one == block->sources ? " " : ", ");
        emit_name(e, one->alias ? one->alias : one->table.last);
        emit_text(e, ".*");
    }
}

void emit_items(struct emitter *e, const struct block *block) {
    emit_text(e, block->distinct ? "SELECT DISTINCT" : "SELECT");
    for (const struct item *one = block->items.first; one; one = one->next) {
        emit_text(e, one == block->items.first ? "" : ",");
        if (one->star && block->hierarchy && !block->hierarchy->generates) {
            emit_hierarchy_star(e, block, one);
        } else if (one->star && block->outer && !one->table.first) {
            emit_stars(e, block);
        } else if (one->star) {
            emit_text(e, " ");
            if (one->table.first)
                emit_qualified_name(e, one->table);
            emit_text(e, one->table.first ? ".*" : "*");
        } else {
            emit_value(e, one->value);
            emit_text(e, " AS \"");
            emit_text(e, one->name);
            emit_text(e, "\"");
        }
    }
}

// Numbers are constants here, not positions in the select list.
static void emit_group(struct emitter *e, const struct expr *one) {
    const enum token_type begins = e->s->tokens[one->from].type;
    const bool constant = begins != TOKEN_WORD && begins != TOKEN_QUOTED;
    emit_text(e, constant ? " COALESCE(" : "");
    emit_value(e, one);
    emit_text(e, constant ? ",NULL)" : "");
}

void emit_groups(struct emitter *e, const struct block *block, uint64_t set) {
    const char *separator = " GROUP BY";
    for (const struct expr *one = block->group.first; one; one = one->next) {
        if (!rollup_has(set, one))
            continue;
        emit_text(e, separator);
        emit_group(e, one);
        separator = ",";
    }
    if (*separator == ' ' && (block->having || block->rollup > 0))
        emit_text(e, " GROUP BY NULL");
}

static void emit_having(struct emitter *e, const struct block *block) {
    if (!block->having)
        return;
    emit_text(e, " HAVING");
    emit_condition(e, block->having);
}

static void emit_row_generator(struct emitter *e, const struct block *block) {
    emit_text(e, " FROM CONNECT_BY_LEVEL$(ROWNUM_LIMIT$('");
    emit_text(e, emit_sign_of(block->hierarchy->connect->sign));
    emit_text(e, "',");
    emit_value(e, block->hierarchy->connect->right);
    emit_text(e, "))");
}

static void emit_limited(struct emitter *e, const struct block *block) {
    emit_sources(e, block);
    emit_where(e, block->where);
    emit_rownum_limit(e, block->where);
}

// ROWNUM numbers rows before they are grouped, sorted or seen by windows.
static void emit_limited_before(struct emitter *e, const struct block *block) {
    const struct item *item = block->items.first;
    const bool counts = block->items.count == 1 && item->value &&
                        item->value->kind == EXPR_CALL && item->value->star &&
                        !block->windowed && block->group.count == 0 &&
                        !block->having && !block->order.first &&
                        !block->distinct;
    emit_items(e, block);
    emit_text(e, counts ? " FROM (SELECT 1" : " FROM (SELECT *");
    emit_limited(e, block);
    emit_text(e, counts ? ")" : ") ");
    if (counts)
        return;
    const struct source *source = block->sources;
    if (source->alias || !source->query || source->view)
        emit_name(e, source->alias ? source->alias : source->table.last);
    emit_groups(e, block, 0);
    emit_having(e, block);
    emit_order(e, &block->order, NULL);
}

static void emit_select(struct emitter *e, const struct block *block) {
    const bool connected = block->hierarchy && !block->hierarchy->generates;
    if (block->limited_first) {
        emit_limited_before(e, block);
        return;
    }
    if (connected)
        block->hierarchy->row = ROW_NODE;
    emit_items(e, block);
    if (connected)
        emit_hierarchy(e, block);
    else if (block->hierarchy)
        emit_row_generator(e, block);
    else
        emit_sources(e, block);
    if (connected)
        emit_hierarchy_where(e, block, false);
    else if (block->where)
        emit_where(e, block->where);
    emit_groups(e, block, 0);
    emit_having(e, block);
    if (!block->order.siblings)
        emit_order(e, &block->order, NULL);
    if (block->limited)
        emit_rownum_limit(e, block->where);
}

void emit_block(struct emitter *e, const struct block *block, bool compound) {
    const bool around = compound && (block->limited || block->rollup > 0);
    if (block->inner) {
        emit_text(e, "SELECT * FROM (");
        emit_query(e, block->inner);
        emit_text(e, ")");
        return;
    }
    emit_text(e, around ? "SELECT * FROM (" : "");
    if (block->rollup > 0)
        emit_rollup(e, block);
    else
        emit_select(e, block);
    emit_text(e, around ? ")" : "");
}

static void emit_with(struct emitter *e, const struct with *with) {
    const char *between = "WITH ";
    for (; with; with = with->next) {
        emit_text(e, between);
        emit_name(e, with->name);
        if (with->columns.count > 0) {
            emit_text(e, "(");
            emit_names(e, &with->columns);
            emit_text(e, ")");
        }
        emit_text(e, " AS (");
        emit_query(e, with->query);
        emit_text(e, ")");
        between = ", ";
    }
    emit_text(e, " ");
}

// SQLite takes a negative number for no limit, Oracle for no row.
static void emit_row_limit(struct emitter *e, const struct row_limit *limit) {
    if (!limit->fetch && !limit->offset)
        return;
    emit_text(e, " LIMIT max(0, ");
    if (limit->count)
        emit_value(e, limit->count);
    else
        emit_text(e, limit->fetch ? "1" : "9223372036854775807");
    emit_text(e, ")");
    if (limit->offset) {
        emit_text(e, " OFFSET ");
        emit_value(e, limit->offset);
    }
}

void emit_query(struct emitter *e, const struct query *query) {
    static const char *const operators[] = {
        [SET_NONE] = "",
        [SET_UNION] = " UNION ",
        [SET_UNION_ALL] = " UNION ALL ",
        [SET_INTERSECT] = " INTERSECT ",
        [SET_MINUS] = " EXCEPT ",
    };
    if (query->with)
        emit_with(e, query->with);
    emit_text(e, query->set_by_name ? "SELECT * FROM (" : "");
    for (const struct block *one = query->first; one && !e->s->error;
         one = one->next) {
        emit_text(e, operators[one->set]);
        emit_block(e, one, query->set);
    }
    emit_text(e, query->set_by_name ? ")" : "");
    emit_order(e, &query->order, query);
    emit_row_limit(e, &query->limit);
}
