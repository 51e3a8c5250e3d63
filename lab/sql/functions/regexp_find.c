// SPDX-License-Identifier: GPL-2.0-or-later
// Searches for a match by trying one way after the other. POSIX wants the
// longest of those that begin first; where the first one found is shorter, it
// is not certain which one Oracle takes, and the search ends with an error.
#include <string.h>

#include "sql/functions/regexp.h"
#include "sql/functions/regexp_class.h"
#include "sql/types/utf8.h"

enum { MOST_STEPS = 4000000, DEEPEST = 10000 };

// The continuation after a group, or after one of its repetitions.
struct then {
    const struct regexp_node *group;
    unsigned times; // it has matched, this time included
    const char *from;
    const struct then *outer;
};

struct search {
    const struct regexp *regexp;
    const char *text, *end;
    struct regexp_match now, found;
    unsigned steps, depth;
    bool any, several, failed;
};

static bool go(struct search *s, const struct regexp_node *node, const char *at,
               const struct then *then);

static bool in_set(const struct regexp *regexp, const struct regexp_set *set,
                   uint32_t c) {
    bool contains = set->classes && regexp_class_has(set->classes, c);
    for (unsigned i = 0; i < set->count && !contains; i++) {
        const struct regexp_range *range = &regexp->range[set->first + i];
        contains = c >= range->from && c <= range->to;
    }
    return contains;
}

static bool set_has(const struct regexp *regexp, const struct regexp_set *set,
                    uint32_t c) {
    bool contains = in_set(regexp, set, c);
    if (!contains && regexp->flags.ignores_case) {
        const uint32_t lower = regexp_lower(c);
        for (uint32_t other = 'A'; other <= 'Z' && !contains; other++)
            contains =
                regexp_lower(other) == lower && in_set(regexp, set, other);
        contains = contains || in_set(regexp, set, lower);
    }
    return contains != set->negated;
}

// The bytes that a node of one character takes; 0: it does not match.
static size_t bytes_of(const struct search *s, const struct regexp_node *node,
                       const char *at) {
    const struct regexp *regexp = s->regexp;
    if (at == s->end)
        return 0;
    const size_t bytes = utf8_bytes(at, s->end);
    const uint32_t c = utf8_code(at, bytes);
    bool is = false;
    if (node->kind == NODE_ANY)
        is = c != '\n' || regexp->flags.dot_is_any;
    else if (node->kind == NODE_SET)
        is = set_has(regexp, &regexp->set[node->number], c);
    else
        is = c == node->character ||
             (regexp->flags.ignores_case &&
              regexp_lower(c) == regexp_lower(node->character));
    return is ? bytes : 0;
}

static bool is_at(const struct search *s, const struct regexp_node *node,
                  const char *position) {
    const bool lines = s->regexp->flags.lines;
    switch (node->kind) {
    case NODE_LINE_START:
        return position == s->text || (lines && position[-1] == '\n');
    case NODE_LINE_END:
        return position == s->end || (lines && *position == '\n');
    case NODE_TEXT_START:
        return position == s->text;
    default:
        return position == s->end || node->empty;
    }
}

// All ways are tried if there may be a longer match.
static bool accept(struct search *s, const char *at) {
    s->now.to[0] = at;
    if (!s->any)
        s->found = s->now;
    else if (at > s->found.to[0])
        s->several = true;
    s->any = true;
    return !s->regexp->several || s->several;
}

static bool try_group(struct search *s, const struct regexp_node *group,
                      const char *at, unsigned times,
                      const struct then *outer) {
    const struct then then = {group, times + 1, at, outer};
    for (const struct regexp_node *one = group->inside; one; one = one->other)
        if (go(s, one, at, &then))
            return true;
    return false;
}

// After `times` repetitions of a group: another one, or the continuation.
static bool repeat(struct search *s, const struct regexp_node *group,
                   const char *at, unsigned times, const struct then *outer) {
    if (times < group->least)
        return try_group(s, group, at, times, outer);
    if (group->lazy)
        return go(s, group->next, at, outer) ||
               (times < group->most && try_group(s, group, at, times, outer));
    return (times < group->most && try_group(s, group, at, times, outer)) ||
           go(s, group->next, at, outer);
}

static bool end_group(struct search *s, const char *at,
                      const struct then *then) {
    const struct regexp_node *group = then->group;
    const unsigned n = group->number;
    const char *from = NULL, *to = NULL;
    if (n < REGEXP_GROUPS) {
        from = s->now.from[n];
        to = s->now.to[n];
        s->now.from[n] = then->from;
        s->now.to[n] = at;
    }
    // A repetition of nothing is the last one.
    const bool matches = at == then->from
                             ? go(s, group->next, at, then->outer)
                             : repeat(s, group, at, then->times, then->outer);
    if (!matches && n < REGEXP_GROUPS) {
        s->now.from[n] = from;
        s->now.to[n] = to;
    }
    return matches;
}

static bool repeat_one(struct search *s, const struct regexp_node *node,
                       const char *at, const struct then *then) {
    unsigned times = 0;
    size_t bytes;
    const char *first = at;
    for (; times < node->least; times++, at += bytes)
        if ((bytes = bytes_of(s, node, at)) == 0)
            return false;
    first = at;
    if (node->lazy) {
        for (;; times++, at += bytes) {
            if (go(s, node->next, at, then))
                return true;
            if (times >= node->most || s->failed ||
                (bytes = bytes_of(s, node, at)) == 0)
                return false;
        }
    }
    for (; times < node->most && (bytes = bytes_of(s, node, at)) > 0; times++)
        at += bytes;
    for (;;) {
        if (go(s, node->next, at, then))
            return true;
        if (at == first || s->failed)
            return false;
        do
            at--;
        while (at > first && ((unsigned char)*at & 0xc0) == 0x80);
    }
}

static bool back(struct search *s, const struct regexp_node *node,
                 const char *at, const struct then *then) {
    const char *from = s->now.from[node->number];
    const size_t length = from ? (size_t)(s->now.to[node->number] - from) : 0;
    if (!from || node->repeated || s->regexp->flags.ignores_case) {
        s->failed = true; // these are not documented
        return false;
    }
    return (size_t)(s->end - at) >= length && memcmp(from, at, length) == 0 &&
           go(s, node->next, at + length, then);
}

static bool go_on(struct search *s, const struct regexp_node *node,
                  const char *at, const struct then *then) {
    for (; node; node = node->next) {
        if (node->kind == NODE_GROUP)
            return repeat(s, node, at, 0, then);
        if (node->kind == NODE_BACK)
            return back(s, node, at, then);
        if (node->kind >= NODE_LINE_START) {
            if (!is_at(s, node, at))
                return false;
            continue;
        }
        if (node->repeated)
            return repeat_one(s, node, at, then);
        const size_t bytes = bytes_of(s, node, at);
        if (bytes == 0)
            return false;
        at += bytes;
    }
    return then ? end_group(s, at, then) : accept(s, at);
}

static bool go(struct search *s, const struct regexp_node *node, const char *at,
               const struct then *then) {
    if (s->failed || s->steps++ > MOST_STEPS || s->depth > DEEPEST) {
        s->failed = true;
        return false;
    }
    s->depth++;
    const bool matches = go_on(s, node, at, then);
    s->depth--;
    return matches;
}

bool regexp_find(const struct regexp *regexp, const char *text, const char *end,
                 const char *at, struct regexp_match *match, unsigned *error,
                 const char **about) {
    struct search s = {.regexp = regexp, .text = text, .end = end};
    for (;; at += utf8_bytes(at, end)) {
        s.now = (struct regexp_match){.from = {at}};
        for (const struct regexp_node *one = regexp->first;
             one && !s.failed && !s.several; one = one->other)
            if (go(&s, one, at, NULL))
                break;
        if (s.any || s.failed || at == end)
            break;
    }
    if (s.failed || s.several) {
        *error = 3001;
        *about = s.several ? "a regular expression with matches of two lengths"
                           : "so long a search for a regular expression";
        return false;
    }
    *match = s.found;
    return s.any;
}
