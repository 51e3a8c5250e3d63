// SPDX-License-Identifier: GPL-2.0-or-later
// The frame of a query: its set operators, its clauses, its column names.
#include "sql/source.h"

#include <ctype.h>

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

static bool has_aggregate(const struct translator *t, size_t from, size_t to) {
    static const char *const names[] = {"count", "sum", "avg",
                                        "min",   "max", NULL};
    for (; from < to; from++)
        for (const char *const *name = names; *name; name++)
            if (is(t, from, *name) && is(t, from + 1, "("))
                return true;
    return false;
}

static bool is_count_star(const struct translator *t, const struct block *b) {
    return b->list_to - b->list_from >= 4 && is(t, b->list_from, "count") &&
           is(t, b->list_from + 1, "(") && is(t, b->list_from + 2, "*") &&
           find(t, b->list_from, b->list_to, ",") == b->list_to &&
           b->rest_from == b->rest_to && !b->distinct;
}

static bool names_something(const struct token *token) {
    return token->type == TOKEN_WORD || token->type == TOKEN_QUOTED;
}

// Whether the last token of a select item is its alias.
static bool ends_with_alias(const struct translator *t, size_t from,
                            size_t to) {
    if (to - from < 2 || !names_something(&t->tokens[to - 1]) ||
        is(t, to - 1, "end") || is(t, to - 1, "null"))
        return false;
    const struct token *before = &t->tokens[to - 2];
    return before->type != TOKEN_SIGN ? true : token_is(before, ")");
}

// Oracle names an expression by its text, upper case and without spaces.
static void say_item_name(struct translator *t, size_t from, size_t to) {
    size_t length = 0;
    bool simple = true;
    for (size_t i = from; i < to; i++)
        simple = simple && (names_something(&t->tokens[i]) || is(t, i, "."));
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

static void say_item(struct translator *t, size_t from, size_t to) {
    if (from == to) {
        refuse(t, 936, "");
        return;
    }
    if (is(t, to - 1, "*") && (to - from == 1 || is(t, to - 2, "."))) {
        say_tokens(t, from, to);
        return;
    }
    size_t end = to;
    if (ends_with_alias(t, from, to)) {
        end = to - 1;
        if (end > from + 1 && is(t, end - 1, "as"))
            end--;
    }
    say_tokens(t, from, end);
    say_item_name(t, end < to ? to - 1 : from, to);
}

static void say_list(struct translator *t, const struct block *b) {
    bool allowed = t->rownum_allowed;
    t->rownum_allowed =
        !has_aggregate(t, b->list_from, b->list_to) &&
        find(t, b->rest_from, b->rest_to, "group") == b->rest_to;
    say(t, b->distinct ? "SELECT DISTINCT" : "SELECT");
    for (size_t from = b->list_from; from <= b->list_to;) {
        size_t comma = find(t, from, b->list_to, ",");
        if (from > b->list_from)
            say(t, ",");
        say_item(t, from, comma);
        from = comma + 1;
    }
    t->rownum_allowed = allowed;
}

void say_select_list(struct translator *t, size_t from, size_t to) {
    const struct block b = {.list_from = from + 1, .list_to = to};
    say_list(t, &b);
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
        say_tokens(t, from, comma);
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
    say_tokens(t, at + 3, b->connect_to);
    say(t, "))");
}

// ROWNUM counts rows before they are grouped or sorted.
static void say_limited_before_rest(struct translator *t,
                                    const struct block *b) {
    if (is_count_star(t, b)) {
        say_list(t, b);
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
        !names_something(&t->tokens[last])) {
        refuse(t, 3001, "ROWNUM with a join that is grouped or sorted");
        return;
    }
    say_list(t, b);
    say(t, " FROM (SELECT *");
    say_from(t, b);
    say_where(t, b->where_from, b->where_to);
    say_limit(t, b->where_from, b->where_to);
    say(t, ")");
    say_tokens(t, last, last + 1); // the alias, or the table's own name
    say_tokens(t, b->rest_from, b->rest_to);
}

static void say_block(struct translator *t, size_t from, size_t to,
                      bool compound) {
    struct block b;
    if (is(t, from, "(") && t->close[from] == to - 1) {
        say(t, "SELECT * FROM ");
        say_tokens(t, from, to);
        return;
    }
    if (!is(t, from, "select")) {
        refuse(t, 928, "");
        return;
    }
    if (!split(t, from, to, &b))
        return;
    bool limited = where_limits_rows(t, b.where_from, b.where_to);
    if (limited && compound)
        say(t, "SELECT * FROM (");
    if (limited && (b.rest_from < b.rest_to || b.distinct ||
                    has_aggregate(t, b.list_from, b.list_to))) {
        say_limited_before_rest(t, &b);
    } else {
        say_list(t, &b);
        if (b.connect_from)
            say_row_generator(t, &b);
        else
            say_from(t, &b);
        if (b.where_from)
            say_where(t, b.where_from, b.where_to);
        say_tokens(t, b.rest_from, b.rest_to);
        if (limited)
            say_limit(t, b.where_from, b.where_to);
    }
    if (limited && compound)
        say(t, ")");
}

void say_query(struct translator *t, size_t from, size_t to) {
    static const char *const set_operators[] = {"union", "intersect", "minus",
                                                NULL};
    if (is(t, from, "with")) {
        size_t select = find(t, from, to, "select");
        say_tokens(t, from, select);
        say(t, " ");
        from = select;
    }
    size_t end = first_of(t, from, to, set_operators);
    bool compound = end < to;
    for (;;) {
        say_block(t, from, end, compound);
        if (end == to || t->result->error)
            return;
        say_tokens(t, end, end + 1);
        end++;
        if (is(t, end, "all")) {
            say(t, " ALL");
            end++;
        }
        say(t, " ");
        from = end;
        end = first_of(t, from, to, set_operators);
    }
}
