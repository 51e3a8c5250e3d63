// SPDX-License-Identifier: GPL-2.0-or-later
// Conditions on ROWNUM: `rownum <= n` among conditions joined by AND becomes a
// LIMIT. It is refused anywhere else.
#include "sql/source.h"

// The end of the condition that starts at `from`: the next AND on this level
// that belongs to no BETWEEN or CASE.
static size_t condition_end(const struct translator *t, size_t from,
                            size_t to) {
    bool between = false;
    unsigned cases = 0;
    for (; from < to; from = source_after(t, from)) {
        if (source_is(t, from, "case"))
            cases++;
        else if (source_is(t, from, "end") && cases > 0)
            cases--;
        else if (source_is(t, from, "between") && cases == 0)
            between = true;
        else if (source_is(t, from, "and") && cases == 0) {
            if (!between)
                return from;
            between = false;
        }
    }
    return to;
}

struct limit {
    const char *comparison; // between ROWNUM and the expression
    size_t from, to;        // the expression
};

static bool comparison(const struct translator *t, size_t at,
                       struct limit *limit, bool mirrored) {
    static const char *const signs[][2] = {
        {"<", ">"}, {"<=", ">="}, {"=", "="}, {">", "<"}, {">=", "<="}};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (source_is(t, at, signs[i][0])) {
            limit->comparison = signs[i][mirrored];
            return true;
        }
    return false;
}

static bool is_limit(const struct translator *t, size_t from, size_t to,
                     struct limit *limit) {
    if (source_find(t, from, to, "or") < to || to - from < 3)
        return false;
    if (source_is(t, from, "rownum") && comparison(t, from + 1, limit, false)) {
        limit->from = from + 2;
        limit->to = to;
        return true;
    }
    if (source_is(t, to - 1, "rownum") && comparison(t, to - 2, limit, true)) {
        limit->from = from;
        limit->to = to - 2;
        return true;
    }
    return false;
}

bool rownum_limits_where(const struct translator *t, size_t from, size_t to) {
    struct limit limit;
    if (source_find(t, from, to, "or") < to)
        return false;
    while (from < to) {
        size_t end = condition_end(t, from, to);
        if (is_limit(t, from, end, &limit))
            return true;
        from = end + 1;
    }
    return false;
}

void emit_where(struct translator *t, size_t from, size_t to) {
    bool limits = rownum_limits_where(t, from, to), first = true;
    if (!limits) {
        emit_text(t, " WHERE");
        emit_condition(t, from, to);
        return;
    }
    while (from < to) {
        struct limit limit;
        size_t end = condition_end(t, from, to);
        if (!is_limit(t, from, end, &limit)) {
            emit_text(t, first ? " WHERE" : " AND");
            emit_condition(t, from, end);
            first = false;
        }
        from = end + 1;
    }
}

void emit_rownum_limit(struct translator *t, size_t from, size_t to) {
    bool first = true;
    emit_text(t, " LIMIT min(1e18");
    while (from < to) {
        struct limit limit;
        size_t end = condition_end(t, from, to);
        if (is_limit(t, from, end, &limit)) {
            emit_text(t, ",ROWNUM_LIMIT$('");
            emit_text(t, limit.comparison);
            emit_text(t, "',");
            emit_whole_value(t, limit.from, limit.to, 933);
            emit_text(t, ")");
            first = false;
        }
        from = end + 1;
    }
    if (first)
        source_refuse(t, 600, "no limit");
    // SQLite may flatten a subquery with a LIMIT into the outer query and sort
    // before it limits. An OFFSET prevents that.
    emit_text(t, ") OFFSET 0");
}
