// SPDX-License-Identifier: GPL-2.0-or-later
// The frame of a SELECT: which clauses it has, and in which order they work.
#include "sql/query_block.h"

size_t first_of(const struct translator *t, size_t from, size_t to,
                const char *const *words) {
    for (; *words; words++)
        to = find(t, from, to, *words);
    return to;
}

static bool split(struct translator *t, size_t from, size_t to,
                  struct query_block *b) {
    static const char *const after_from[] = {
        "where", "connect", "start", "group",  "having",
        "order", "for",     "fetch", "offset", NULL};
    static const char *const *const after_where = after_from + 1;
    static const char *const *const after_connect = after_from + 3;
    *b = (struct query_block){.distinct = is(t, from + 1, "distinct") ||
                                          is(t, from + 1, "unique")};
    b->list_from = from + 1 + (b->distinct || is(t, from + 1, "all"));
    b->list_to = find(t, b->list_from, to, "from");
    if (b->list_to == to) {
        refuse(t, 923, "");
        return false;
    }
    if (b->list_to == b->list_from) {
        refuse(t, 936, "");
        return false;
    }
    b->from_from = b->list_to + 1;
    b->from_to = first_of(t, b->from_from, to, after_from);
    size_t at = b->from_to;
    if (is(t, at, "where") && at < to) {
        b->where_from = at + 1;
        at = b->where_to = first_of(t, at + 1, to, after_where);
        if (b->where_from == at)
            refuse(t, 936, "");
    }
    if (is(t, at, "connect") && at < to) {
        b->connect_from = at + 1;
        at = b->connect_to = first_of(t, at + 1, to, after_connect);
    }
    b->rest_from = at;
    b->rest_to = to;
    if (first_of(t, at, to,
                 (const char *const[]){"for", "fetch", "offset", "start",
                                       NULL}) < to)
        refuse_token(t, 3001, at);
    return !t->result->error;
}

static bool is_count_star(const struct translator *t,
                          const struct query_block *b) {
    return b->list_to - b->list_from >= 4 && is(t, b->list_from, "count") &&
           is(t, b->list_from + 1, "(") && is(t, b->list_from + 2, "*") &&
           find(t, b->list_from, b->list_to, ",") == b->list_to &&
           b->rest_from == b->rest_to && !b->distinct;
}

// CONNECT BY only as the row generator everybody uses it for.
static void say_row_generator(struct translator *t,
                              const struct query_block *b) {
    size_t at = b->connect_from;
    if (!is(t, b->from_to - 1, "dual") || b->from_to - b->from_from > 3 ||
        b->where_from || b->connect_to - at < 4 || !is(t, at, "by") ||
        !(is(t, at + 1, "level") || is(t, at + 1, "rownum")) ||
        !(is(t, at + 2, "<=") || is(t, at + 2, "<")) ||
        find(t, at, b->connect_to, "and") < b->connect_to ||
        find(t, at, b->connect_to, "or") < b->connect_to) {
        refuse(t, 3001, "CONNECT BY other than LEVEL <= n on DUAL");
        return;
    }
    say(t, " FROM CONNECT_BY_LEVEL$(ROWNUM_LIMIT$('");
    say_part(t, t->tokens[at + 2].at, t->tokens[at + 2].length);
    say(t, "',");
    say_whole_value(t, at + 3, b->connect_to, 933);
    say(t, "))");
}

// GROUP BY, HAVING, ORDER BY.
static void say_rest(struct translator *t, const struct query_block *b) {
    size_t order = find(t, b->rest_from, b->rest_to, "order");
    size_t having = find(t, b->rest_from, order, "having");
    size_t group = find(t, b->rest_from, having, "group");
    if (group < having) {
        if (!is(t, group + 1, "by"))
            refuse(t, 924, "");
        say_group_by(t, group + 2, having);
    }
    if (having < order) {
        say(t, group < having ? "" : " GROUP BY NULL");
        say(t, " HAVING");
        say_condition(t, having + 1, order);
    }
    if (group > b->rest_from && having > b->rest_from && order > b->rest_from)
        refuse(t, 933, "");
    if (order < b->rest_to)
        say_order_by(t, order, b->rest_to, false, b->distinct);
}

// ROWNUM counts rows before they are grouped or sorted.
static void say_limited_before_rest(struct translator *t,
                                    const struct query_block *b) {
    const bool grouping = t->grouping;
    if (is_count_star(t, b)) {
        say_list(t, b);
        t->grouping = false;
        say(t, " FROM (SELECT 1");
        say_from(t, b);
        say_where(t, b->where_from, b->where_to);
        say_limit(t, b->where_from, b->where_to);
        say(t, ")");
        return;
    }
    size_t last = b->from_to - 1;
    if (find(t, b->from_from, b->from_to, ",") < b->from_to ||
        find(t, b->from_from, b->from_to, "join") < b->from_to ||
        !is_name(t, last)) {
        refuse(t, 3001, "ROWNUM with a join that is grouped or sorted");
        return;
    }
    say_list(t, b);
    t->grouping = false;
    say(t, " FROM (SELECT *");
    say_from(t, b);
    say_where(t, b->where_from, b->where_to);
    say_limit(t, b->where_from, b->where_to);
    say(t, ") ");
    say_name(t, last); // the alias, or the table's own name
    t->grouping = grouping;
    say_rest(t, b);
}

static void group_block(struct translator *t, const struct query_block *b) {
    size_t order = find(t, b->rest_from, b->rest_to, "order");
    size_t having = find(t, b->rest_from, order, "having");
    size_t group = find(t, b->rest_from, having, "group");
    const bool grouped = group < having;
    grouping_of(t, grouped ? group + 2 : 0, grouped ? having : 0,
                grouped || having < order ||
                    has_aggregate(t, b->list_from, b->list_to));
}

void say_block(struct translator *t, size_t from, size_t to, bool compound) {
    struct query_block b;
    if (is(t, from, "(") && t->close[from] == to - 1) {
        say(t, "SELECT * FROM (");
        t->items = 0;
        enum operand_type type = say_query(t, from + 1, to - 1);
        say(t, ")");
        struct item *kept = new_item(t);
        if (kept)
            *kept = (struct item){.star = true, .value = {.type = type}};
        return;
    }
    if (!is(t, from, "select")) {
        refuse(t, 928, "");
        return;
    }
    if (!split(t, from, to, &b))
        return;
    bool limited = where_limits_rows(t, b.where_from, b.where_to);
    if (has_aggregate(t, b.where_from, b.where_to))
        refuse(t, 934, "");
    group_block(t, &b);
    if (limited && compound)
        say(t, "SELECT * FROM (");
    if (limited && (b.rest_from < b.rest_to || b.distinct ||
                    has_aggregate(t, b.list_from, b.list_to))) {
        say_limited_before_rest(t, &b);
    } else {
        say_list(t, &b);
        const bool grouping = t->grouping;
        t->grouping = false;
        if (b.connect_from)
            say_row_generator(t, &b);
        else
            say_from(t, &b);
        if (b.where_from)
            say_where(t, b.where_from, b.where_to);
        t->grouping = grouping;
        say_rest(t, &b);
        if (limited)
            say_limit(t, b.where_from, b.where_to);
    }
    if (limited && compound)
        say(t, ")");
}

void say_select_into(struct translator *t, size_t from, size_t to, size_t into,
                     void (*say_into)(struct translator *t, size_t from,
                                      size_t to)) {
    struct query_block b;
    if (!split(t, from, to, &b))
        return;
    const size_t from_word = b.list_to;
    b.list_to = into;
    if (b.connect_from || (where_limits_rows(t, b.where_from, b.where_to) &&
                           (b.rest_from < b.rest_to ||
                            has_aggregate(t, b.list_from, b.list_to)))) {
        refuse(t, 3001, "such a SELECT INTO");
        return;
    }
    group_block(t, &b);
    say_list(t, &b);
    const bool grouping = t->grouping;
    t->grouping = false;
    say_into(t, into + 1, from_word);
    say_from(t, &b);
    if (b.where_from)
        say_where(t, b.where_from, b.where_to);
    t->grouping = grouping;
    say_rest(t, &b);
    if (where_limits_rows(t, b.where_from, b.where_to))
        say_limit(t, b.where_from, b.where_to);
    t->items = 0;
}
