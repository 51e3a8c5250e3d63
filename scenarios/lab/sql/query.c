// SPDX-License-Identifier: GPL-2.0-or-later
// The frame of a query: its set operators, its clauses, its column names.
#include <ctype.h>
#include <stdlib.h>

#include "sql/source.h"

enum { LONGEST_NAME = 128 };

struct block { // each part [..from, ..to) without its keyword
    size_t list_from, list_to;
    size_t from_from, from_to;
    size_t where_from, where_to;
    size_t connect_from, connect_to;
    size_t rest_from, rest_to; // GROUP BY, HAVING, ORDER BY, with keywords
    bool distinct;
};

static size_t first_of(const struct translator *t, size_t from, size_t to,
                       const char *const *words) {
    for (; *words; words++)
        to = find(t, from, to, *words);
    return to;
}

static bool split(struct translator *t, size_t from, size_t to,
                  struct block *b) {
    static const char *const after_from[] = {
        "where", "connect", "start", "group",  "having",
        "order", "for",     "fetch", "offset", NULL};
    static const char *const *const after_where = after_from + 1;
    static const char *const *const after_connect = after_from + 3;
    *b = (struct block){.distinct = is(t, from + 1, "distinct") ||
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

static bool is_count_star(const struct translator *t, const struct block *b) {
    return b->list_to - b->list_from >= 4 && is(t, b->list_from, "count") &&
           is(t, b->list_from + 1, "(") && is(t, b->list_from + 2, "*") &&
           find(t, b->list_from, b->list_to, ",") == b->list_to &&
           b->rest_from == b->rest_to && !b->distinct;
}

// Oracle names an expression by its text, upper case and without spaces.
static void say_item_name(struct translator *t, size_t from, size_t to) {
    size_t length = 0;
    bool simple = true;
    for (size_t i = from; i < to; i++)
        simple = simple && (is_name(t, i) || is(t, i, "."));
    if (simple)
        from = to - 1;
    say(t, " AS \"");
    for (; from < to; from++) {
        const struct token *token = &t->tokens[from];
        if (token->type == TOKEN_BIND)
            say(t, ":");
        for (size_t i = 0; i < token->length && length < LONGEST_NAME; i++) {
            char c = token->at[i];
            if (token->type == TOKEN_WORD || token->type == TOKEN_BIND)
                c = (char)toupper((unsigned char)c);
            if (c == '"')
                continue;
            say_part(t, &c, 1);
            length++;
        }
    }
    say(t, "\"");
}

static void say_star(struct translator *t, size_t from, size_t to) {
    if (t->grouping)
        refuse(t, t->group_from < t->group_to ? 979 : 937, "");
    say(t, " ");
    for (size_t at = from; at + 1 < to; at += 2) {
        say_name(t, at);
        say(t, ".");
        if (!is(t, at + 1, "."))
            refuse(t, 936, "");
    }
    say(t, "*");
}

static struct item *new_item(struct translator *t) {
    enum { MOST_ITEMS = 1000 };
    struct item *grown =
        t->items < MOST_ITEMS
            ? realloc(t->item, (t->items + 1) * sizeof *t->item)
            : NULL;
    if (!grown) {
        refuse(t, 1792, "");
        return NULL;
    }
    t->item = grown;
    t->item[t->items] = (struct item){0};
    return &t->item[t->items++];
}

static void say_item(struct translator *t, size_t from, size_t to,
                     struct item *item) {
    struct operand said;
    size_t at = from;
    *item = (struct item){.tokens_from = from, .tokens_to = to};
    if (from == to) {
        refuse(t, 936, "");
        return;
    }
    if (is(t, to - 1, "*") && (to - from == 1 || is(t, to - 2, "."))) {
        item->star = true;
        say_star(t, from, to);
        return;
    }
    said = say_value(t, &at, to);
    said.to = t->length;
    item->tokens_to = at;
    item->value = said;
    if (at < to && is(t, at, "as"))
        at++;
    if (at < to) {
        if (at + 1 != to || !is_name(t, at) || is_keyword(t, at))
            refuse(t, 923, "");
        item->alias = at;
    }
    if (!t->result->error)
        say_item_name(t, at < to ? at : from, to > at ? to : at);
}

static void say_list(struct translator *t, const struct block *b) {
    const bool allowed = t->rownum_allowed;
    t->rownum_allowed =
        !has_aggregate(t, b->list_from, b->list_to) &&
        find(t, b->rest_from, b->rest_to, "group") == b->rest_to;
    t->items = 0;
    say(t, b->distinct ? "SELECT DISTINCT" : "SELECT");
    for (size_t from = b->list_from; from <= b->list_to;) {
        size_t comma = find(t, from, b->list_to, ",");
        struct item one;
        if (from > b->list_from)
            say(t, ",");
        say_item(t, from, comma, &one);
        struct item *kept = new_item(t);
        if (t->result->error)
            break;
        *kept = one;
        from = comma + 1;
    }
    t->rownum_allowed = allowed;
}

// A table, a subquery, or several with joins between them.
static void say_tables(struct translator *t, size_t from, size_t to) {
    static const char *const join_words[] = {
        "inner", "left", "right", "full", "outer", "cross", "natural", NULL};
    bool table = true; // one is to come
    for (size_t at = from; at < to && !t->result->error;) {
        bool word = false;
        for (const char *const *w = join_words; *w; w++)
            word = word || is(t, at, *w);
        if (is(t, at, "join") || word) {
            say(t, " ");
            say_part(t, t->tokens[at].at, t->tokens[at].length);
            table = is(t, at, "join");
            at++;
        } else if (is(t, at, "on") && !table) {
            size_t end = at + 1;
            while (end < to && !is(t, end, "join")) {
                for (const char *const *w = join_words; *w; w++)
                    word = word || is(t, end, *w);
                if (word)
                    break;
                end = past(t, end);
            }
            say(t, " ON");
            say_condition(t, at + 1, end);
            at = end;
        } else if (is(t, at, "using") && is(t, at + 1, "(") && !table) {
            say(t, " USING (");
            for (size_t i = at + 2; i < t->close[at + 1]; i++)
                if (is(t, i, ","))
                    say(t, ",");
                else
                    say_name(t, i);
            say(t, ")");
            at = t->close[at + 1] + 1;
        } else if (table && is(t, at, "(")) {
            const size_t close = t->close[at];
            const bool query = is(t, at + 1, "select") || is(t, at + 1, "with");
            say(t, " (");
            if (query)
                say_query(t, at + 1, close);
            else
                say_tables(t, at + 1, close);
            say(t, ")");
            at = close + 1;
            table = false;
        } else if (table) {
            say_table_name(t, &at, to);
            table = false;
        } else if (is_name(t, at) && !is_keyword(t, at)) {
            if (is_name(t, at - 1) && at - 1 > from && !is(t, at - 2, ".") &&
                !is(t, at - 2, "join") && !is(t, at - 2, ","))
                refuse(t, 933, "");
            say(t, " ");
            say_name(t, at++);
        } else {
            refuse(t, 933, "");
        }
    }
    if (table)
        refuse(t, 903, "");
}

static void say_from(struct translator *t, const struct block *b) {
    say(t, " FROM");
    for (size_t from = b->from_from; from <= b->from_to;) {
        size_t comma = find(t, from, b->from_to, ",");
        if (from == comma)
            refuse(t, 903, "");
        if (from > b->from_from)
            // SQLite never reorders the two sides of a CROSS JOIN.
            say(t, t->ordered ? " CROSS JOIN" : ",");
        say_tables(t, from, comma);
        if (t->result->error)
            break;
        from = comma + 1;
    }
}

// CONNECT BY only as the row generator everybody uses it for.
static void say_row_generator(struct translator *t, const struct block *b) {
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
static void say_rest(struct translator *t, const struct block *b) {
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
                                    const struct block *b) {
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

static void group_block(struct translator *t, const struct block *b) {
    size_t order = find(t, b->rest_from, b->rest_to, "order");
    size_t having = find(t, b->rest_from, order, "having");
    size_t group = find(t, b->rest_from, having, "group");
    const bool grouped = group < having;
    grouping_of(t, grouped ? group + 2 : 0, grouped ? having : 0,
                grouped || having < order ||
                    has_aggregate(t, b->list_from, b->list_to));
}

static void say_block(struct translator *t, size_t from, size_t to,
                      bool compound) {
    struct block b;
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
    struct block b;
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

// WITH name [(columns)] AS (query), ... Returns where the query begins.
static size_t say_with(struct translator *t, size_t from, size_t to) {
    const char *between = "WITH";
    for (;;) {
        size_t at = from + 1;
        say(t, between);
        say(t, " ");
        say_name(t, at++);
        if (is(t, at, "(")) {
            say(t, "(");
            for (size_t i = at + 1; i < t->close[at]; i++)
                if (is(t, i, ","))
                    say(t, ",");
                else
                    say_name(t, i);
            say(t, ")");
            at = t->close[at] + 1;
        }
        if (!is(t, at, "as") || !is(t, at + 1, "(")) {
            refuse(t, 905, "");
            return to;
        }
        say(t, " AS (");
        say_query(t, at + 2, t->close[at + 1]);
        say(t, ")");
        at = t->close[at + 1] + 1;
        if (!is(t, at, ",") || t->result->error)
            break;
        between = ",";
        from = at;
    }
    size_t select = find(t, from, to, "select");
    if (t->close[select - 1] == 0 && !is(t, select - 1, ")"))
        refuse(t, 928, "");
    say(t, " ");
    return select;
}

static void check_set(struct translator *t, const struct item *first,
                      size_t items) {
    for (size_t i = 0; i < items && i < t->items; i++) {
        enum operand_type a = first[i].value.type, b = t->item[i].value.type;
        if (first[i].star || t->item[i].star)
            return;
        if (a == OPERAND_NULL || b == OPERAND_NULL || a == OPERAND_UNKNOWN ||
            b == OPERAND_UNKNOWN)
            continue;
        const bool numbers = (a == OPERAND_SMALL || a == OPERAND_NUMBER) &&
                             (b == OPERAND_SMALL || b == OPERAND_NUMBER);
        if (a != b && !numbers)
            refuse(t, 1790, "");
    }
}

// Whether rows of all blocks are ordered by SQLite as Oracle orders them.
static void note_types(struct translator *t, struct item *first, size_t items) {
    for (size_t i = 0; i < items && i < t->items; i++)
        if (!orders_itself(t->item[i].value.type))
            first[i].value.type = OPERAND_UNKNOWN;
}

// Of a set, [from, to) begins with ORDER BY. Its terms are columns.
static void say_order_of_set(struct translator *t, size_t from, size_t to) {
    for (size_t i = 0; i < t->items; i++)
        if (t->item[i].star || !orders_itself(t->item[i].value.type)) {
            refuse(t, 3001, "ORDER BY of such a set");
            return;
        }
    say_order_by(t, from, to, false, true);
}

static void say_set(struct translator *t, size_t from, size_t to) {
    static const char *const set_operators[] = {"union", "intersect", "minus",
                                                NULL};
    const size_t order = find(t, from, to, "order");
    size_t end = first_of(t, from, order, set_operators);
    struct item *first = NULL;
    size_t items = 0;
    if (end == order) {
        say_block(t, from, to, false);
        return;
    }
    for (;;) {
        say_block(t, from, end, true);
        if (!first) {
            first = t->item;
            items = t->items;
            t->item = NULL;
            t->items = 0;
        } else {
            check_set(t, first, items);
            note_types(t, first, items);
        }
        if (end == order || t->result->error)
            break;
        say(t, is(t, end, "union")       ? " UNION"
               : is(t, end, "intersect") ? " INTERSECT"
                                         : " EXCEPT");
        end++;
        if (is(t, end, "all")) {
            say(t, " ALL");
            end++;
        }
        say(t, " ");
        from = end;
        end = first_of(t, from, order, set_operators);
    }
    free(t->item);
    t->item = first;
    t->items = items;
    t->grouping = false;
    if (order < to && !t->result->error)
        say_order_of_set(t, order, to);
}

enum operand_type say_query(struct translator *t, size_t from, size_t to) {
    const struct translator outer = *t;
    enum { DEEPEST = 50 };
    if (t->queries++ == DEEPEST)
        refuse(t, 913, "");
    t->item = NULL;
    t->items = 0;
    t->rownum_allowed = false;
    grouping_of(t, 0, 0, false);
    if (is(t, from, "with"))
        from = say_with(t, from, to);
    if (!t->result->error)
        say_set(t, from, to);
    enum operand_type type = t->items == 1 && !t->item[0].star
                                 ? t->item[0].value.type
                                 : OPERAND_UNKNOWN;
    t->result->columns = 0;
    for (size_t i = 0; i < t->items && i < MOST_COLUMNS; i++) {
        if (t->item[i].star) {
            t->result->columns = 0;
            break;
        }
        t->result->column[t->result->columns++] =
            (uint8_t)t->item[i].value.type;
    }
    free(t->item);
    t->item = outer.item;
    t->items = outer.items;
    t->rownum_allowed = outer.rownum_allowed;
    t->grouping = outer.grouping;
    t->group_from = outer.group_from;
    t->group_to = outer.group_to;
    t->covered = outer.covered;
    t->aggregates = outer.aggregates;
    t->queries--;
    return type;
}
