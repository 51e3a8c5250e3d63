// SPDX-License-Identifier: GPL-2.0-or-later
// The structure of a SELECT: its clauses and the order in which they apply.
#include "sql/query_block.h"

size_t source_find_any(const struct translator *t, size_t from, size_t to,
                       const char *const *words) {
    for (; *words; words++)
        to = source_find(t, from, to, *words);
    return to;
}

static bool split(struct translator *t, size_t from, size_t to,
                  struct query_block *b) {
    static const char *const after_from[] = {
        "where", "connect", "start", "group",  "having",
        "order", "for",     "fetch", "offset", NULL};
    static const char *const *const after_where = after_from + 1;
    static const char *const *const after_connect = after_from + 3;
    *b = (struct query_block){.distinct = source_is(t, from + 1, "distinct") ||
                                          source_is(t, from + 1, "unique")};
    b->list_from = from + 1 + (b->distinct || source_is(t, from + 1, "all"));
    b->list_to = source_find(t, b->list_from, to, "from");
    if (b->list_to == to) {
        source_refuse(t, 923, "");
        return false;
    }
    if (b->list_to == b->list_from) {
        source_refuse(t, 936, "");
        return false;
    }
    b->from_from = b->list_to + 1;
    b->from_to = source_find_any(t, b->from_from, to, after_from);
    size_t at = b->from_to;
    if (source_is(t, at, "where") && at < to) {
        b->where_from = at + 1;
        at = b->where_to = source_find_any(t, at + 1, to, after_where);
        if (b->where_from == at)
            source_refuse(t, 936, "");
    }
    if (source_is(t, at, "connect") && at < to) {
        b->connect_from = at + 1;
        at = b->connect_to = source_find_any(t, at + 1, to, after_connect);
    }
    b->rest_from = at;
    b->rest_to = to;
    if (source_find_any(t, at, to,
                        (const char *const[]){"for", "fetch", "offset", "start",
                                              NULL}) < to)
        source_refuse_token(t, 3001, at);
    return !t->result->error;
}

static bool is_count_star(const struct translator *t,
                          const struct query_block *b) {
    return b->list_to - b->list_from >= 4 &&
           source_is(t, b->list_from, "count") &&
           source_is(t, b->list_from + 1, "(") &&
           source_is(t, b->list_from + 2, "*") &&
           source_find(t, b->list_from, b->list_to, ",") == b->list_to &&
           b->rest_from == b->rest_to && !b->distinct;
}

// CONNECT BY is supported only as the usual row generator.
static void emit_row_generator(struct translator *t,
                               const struct query_block *b) {
    size_t at = b->connect_from;
    if (!source_is(t, b->from_to - 1, "dual") ||
        b->from_to - b->from_from > 3 || b->where_from ||
        b->connect_to - at < 4 || !source_is(t, at, "by") ||
        !(source_is(t, at + 1, "level") || source_is(t, at + 1, "rownum")) ||
        !(source_is(t, at + 2, "<=") || source_is(t, at + 2, "<")) ||
        source_find(t, at, b->connect_to, "and") < b->connect_to ||
        source_find(t, at, b->connect_to, "or") < b->connect_to) {
        source_refuse(t, 3001, "CONNECT BY other than LEVEL <= n on DUAL");
        return;
    }
    emit_text(t, " FROM CONNECT_BY_LEVEL$(ROWNUM_LIMIT$('");
    emit_bytes(t, t->tokens[at + 2].at, t->tokens[at + 2].length);
    emit_text(t, "',");
    emit_whole_value(t, at + 3, b->connect_to, 933);
    emit_text(t, "))");
}

// GROUP BY, HAVING, ORDER BY.
static void emit_rest(struct translator *t, const struct query_block *b) {
    size_t order = source_find(t, b->rest_from, b->rest_to, "order");
    size_t having = source_find(t, b->rest_from, order, "having");
    size_t group = source_find(t, b->rest_from, having, "group");
    if (group < having) {
        if (!source_is(t, group + 1, "by"))
            source_refuse(t, 924, "");
        emit_group_by(t, group + 2, having);
    }
    if (having < order) {
        emit_text(t, group < having ? "" : " GROUP BY NULL");
        emit_text(t, " HAVING");
        emit_condition(t, having + 1, order);
    }
    if (group > b->rest_from && having > b->rest_from && order > b->rest_from)
        source_refuse(t, 933, "");
    if (order < b->rest_to)
        emit_order_by(t, order, b->rest_to, false, b->distinct);
}

// ROWNUM numbers rows before they are grouped or sorted.
static void emit_limited_before_rest(struct translator *t,
                                     const struct query_block *b) {
    const bool grouping = t->grouping;
    if (is_count_star(t, b)) {
        emit_select_list(t, b);
        t->grouping = false;
        emit_text(t, " FROM (SELECT 1");
        emit_from(t, b);
        emit_where(t, b->where_from, b->where_to);
        emit_rownum_limit(t, b->where_from, b->where_to);
        emit_text(t, ")");
        return;
    }
    size_t last = b->from_to - 1;
    if (source_find(t, b->from_from, b->from_to, ",") < b->from_to ||
        source_find(t, b->from_from, b->from_to, "join") < b->from_to ||
        !source_is_name(t, last)) {
        source_refuse(t, 3001, "ROWNUM with a join that is grouped or sorted");
        return;
    }
    emit_select_list(t, b);
    t->grouping = false;
    emit_text(t, " FROM (SELECT *");
    emit_from(t, b);
    emit_where(t, b->where_from, b->where_to);
    emit_rownum_limit(t, b->where_from, b->where_to);
    emit_text(t, ") ");
    emit_name(t, last); // the alias, or the table's name
    t->grouping = grouping;
    emit_rest(t, b);
}

static void group_block(struct translator *t, const struct query_block *b) {
    size_t order = source_find(t, b->rest_from, b->rest_to, "order");
    size_t having = source_find(t, b->rest_from, order, "having");
    size_t group = source_find(t, b->rest_from, having, "group");
    const bool grouped = group < having;
    grouping_begin(t, grouped ? group + 2 : 0, grouped ? having : 0,
                   grouped || having < order ||
                       grouping_has_aggregate(t, b->list_from, b->list_to));
}

void emit_query_block(struct translator *t, size_t from, size_t to,
                      bool compound) {
    struct query_block b;
    if (source_is(t, from, "(") && t->close[from] == to - 1) {
        emit_text(t, "SELECT * FROM (");
        t->items = 0;
        enum operand_type type = emit_query(t, from + 1, to - 1);
        emit_text(t, ")");
        struct item *kept = select_list_add(t);
        if (kept)
            *kept = (struct item){.star = true, .value = {.type = type}};
        return;
    }
    if (!source_is(t, from, "select")) {
        source_refuse(t, 928, "");
        return;
    }
    if (!split(t, from, to, &b))
        return;
    bool limited = rownum_limits_where(t, b.where_from, b.where_to);
    if (grouping_has_aggregate(t, b.where_from, b.where_to))
        source_refuse(t, 934, "");
    group_block(t, &b);
    if (limited && compound)
        emit_text(t, "SELECT * FROM (");
    if (limited && (b.rest_from < b.rest_to || b.distinct ||
                    grouping_has_aggregate(t, b.list_from, b.list_to))) {
        emit_limited_before_rest(t, &b);
    } else {
        emit_select_list(t, &b);
        const bool grouping = t->grouping;
        t->grouping = false;
        if (b.connect_from)
            emit_row_generator(t, &b);
        else
            emit_from(t, &b);
        if (b.where_from)
            emit_where(t, b.where_from, b.where_to);
        t->grouping = grouping;
        emit_rest(t, &b);
        if (limited)
            emit_rownum_limit(t, b.where_from, b.where_to);
    }
    if (limited && compound)
        emit_text(t, ")");
}

void emit_select_into(struct translator *t, size_t from, size_t to, size_t into,
                      void (*emit_into)(struct translator *t, size_t from,
                                        size_t to)) {
    struct query_block b;
    if (!split(t, from, to, &b))
        return;
    const size_t from_word = b.list_to;
    b.list_to = into;
    if (b.connect_from ||
        (rownum_limits_where(t, b.where_from, b.where_to) &&
         (b.rest_from < b.rest_to ||
          grouping_has_aggregate(t, b.list_from, b.list_to)))) {
        source_refuse(t, 3001, "such a SELECT INTO");
        return;
    }
    group_block(t, &b);
    emit_select_list(t, &b);
    const bool grouping = t->grouping;
    t->grouping = false;
    emit_into(t, into + 1, from_word);
    emit_from(t, &b);
    if (b.where_from)
        emit_where(t, b.where_from, b.where_to);
    t->grouping = grouping;
    emit_rest(t, &b);
    if (rownum_limits_where(t, b.where_from, b.where_to))
        emit_rownum_limit(t, b.where_from, b.where_to);
    t->items = 0;
}
