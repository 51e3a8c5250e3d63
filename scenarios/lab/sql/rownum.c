// SPDX-License-Identifier: GPL-2.0-or-later
// Conditions on ROWNUM: `rownum <= n` among the conditions that AND joins
// becomes a LIMIT. Anywhere else it is refused.
#include "sql/source.h"

// Where the condition that starts at `from` ends: at the next AND on this
// level that belongs neither to a BETWEEN nor to a CASE.
static size_t condition_end(const struct translator *t, size_t from,
                            size_t to) {
    bool between = false;
    unsigned cases = 0;
    for (; from < to; from = past(t, from)) {
        if (is(t, from, "case"))
            cases++;
        else if (is(t, from, "end") && cases > 0)
            cases--;
        else if (is(t, from, "between") && cases == 0)
            between = true;
        else if (is(t, from, "and") && cases == 0) {
            if (!between)
                return from;
            between = false;
        }
    }
    return to;
}

struct limit {
    const char *comparison; // of ROWNUM with the expression
    size_t from, to;        // the expression
};

static bool comparison(const struct translator *t, size_t at,
                       struct limit *limit, bool mirrored) {
    static const char *const signs[][2] = {
        {"<", ">"}, {"<=", ">="}, {"=", "="}, {">", "<"}, {">=", "<="}};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (is(t, at, signs[i][0])) {
            limit->comparison = signs[i][mirrored];
            return true;
        }
    return false;
}

static bool is_limit(const struct translator *t, size_t from, size_t to,
                     struct limit *limit) {
    if (find(t, from, to, "or") < to || to - from < 3)
        return false;
    if (is(t, from, "rownum") && comparison(t, from + 1, limit, false)) {
        limit->from = from + 2;
        limit->to = to;
        return true;
    }
    if (is(t, to - 1, "rownum") && comparison(t, to - 2, limit, true)) {
        limit->from = from;
        limit->to = to - 2;
        return true;
    }
    return false;
}

bool where_limits_rows(const struct translator *t, size_t from, size_t to) {
    struct limit limit;
    if (find(t, from, to, "or") < to)
        return false;
    while (from < to) {
        size_t end = condition_end(t, from, to);
        if (is_limit(t, from, end, &limit))
            return true;
        from = end + 1;
    }
    return false;
}

void say_where(struct translator *t, size_t from, size_t to) {
    bool limits = where_limits_rows(t, from, to), first = true;
    if (!limits) {
        say(t, " WHERE");
        say_condition(t, from, to);
        return;
    }
    while (from < to) {
        struct limit limit;
        size_t end = condition_end(t, from, to);
        if (!is_limit(t, from, end, &limit)) {
            say(t, first ? " WHERE" : " AND");
            say_condition(t, from, end);
            first = false;
        }
        from = end + 1;
    }
}

void say_limit(struct translator *t, size_t from, size_t to) {
    bool first = true;
    say(t, " LIMIT min(1e18");
    while (from < to) {
        struct limit limit;
        size_t end = condition_end(t, from, to);
        if (is_limit(t, from, end, &limit)) {
            say(t, ",ROWNUM_LIMIT$('");
            say(t, limit.comparison);
            say(t, "',");
            say_whole_value(t, limit.from, limit.to, 933);
            say(t, ")");
            first = false;
        }
        from = end + 1;
    }
    if (first)
        refuse(t, 600, "no limit");
    // SQLite may merge a query with one in its FROM clause that has a LIMIT,
    // and sort before it limits. Not so when there is an OFFSET.
    say(t, ") OFFSET 0");
}
