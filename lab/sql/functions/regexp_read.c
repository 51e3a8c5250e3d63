// SPDX-License-Identifier: GPL-2.0-or-later
// A pattern's text to its nodes.
#include <stdlib.h>
#include <string.h>

#include "sql/functions/regexp.h"
#include "sql/functions/regexp_class.h"
#include "sql/types/utf8.h"

enum { DEEPEST = 20 };

struct reader {
    struct regexp *made;
    const char *at, *end;
    unsigned depth, error;
    const char *about;
    unsigned closed; // groups that are, as bits
    bool repeats;    // a second quantifier would
};

static void fail(struct reader *r, unsigned error, const char *about) {
    if (r->error)
        return;
    r->error = error;
    r->about = about;
}

static bool more(const struct reader *r) {
    return r->at < r->end && !r->error;
}

static uint32_t take(struct reader *r) {
    const size_t bytes = utf8_bytes(r->at, r->end);
    const uint32_t code = utf8_code(r->at, bytes);
    r->at += bytes;
    return code;
}

static struct regexp_node *new_node(struct reader *r, int kind) {
    static struct regexp_node spare;
    if (r->made->nodes == REGEXP_NODES) {
        fail(r, 12733, "");
        return &spare;
    }
    struct regexp_node *node = &r->made->node[r->made->nodes++];
    *node = (struct regexp_node){.kind = kind, .least = 1, .most = 1};
    return node;
}

static void add_range(struct reader *r, struct regexp_set *set, uint32_t from,
                      uint32_t to) {
    if (from > to)
        fail(r, 12728, "");
    else if (r->made->ranges == REGEXP_RANGES)
        fail(r, 12733, "");
    else
        r->made->range[r->made->ranges++] = (struct regexp_range){from, to};
    set->count = r->made->ranges - set->first;
}

// [:alpha:]
static bool take_class(struct reader *r, struct regexp_set *set) {
    if (r->end - r->at < 2 || r->at[0] != '[' || !strchr(":.=", r->at[1]))
        return false;
    if (r->at[1] != ':') {
        fail(r, 3001, "[. .] and [= =] in a regular expression");
        return true;
    }
    const char *from = r->at + 2, *to = from;
    while (to + 1 < r->end && !(to[0] == ':' && to[1] == ']'))
        to++;
    const unsigned bit = regexp_class_named(from, (size_t)(to - from));
    if (bit == 0)
        fail(r, 12729, "");
    set->classes |= bit;
    r->at = to + 2 < r->end ? to + 2 : r->end;
    return true;
}

static struct regexp_set *new_set(struct reader *r, struct regexp_node **node) {
    static struct regexp_set spare;
    *node = new_node(r, NODE_SET);
    if (r->made->sets == REGEXP_SETS) {
        fail(r, 12733, "");
        return &spare;
    }
    (*node)->number = r->made->sets;
    struct regexp_set *set = &r->made->set[r->made->sets++];
    *set = (struct regexp_set){.first = r->made->ranges};
    return set;
}

static struct regexp_node *take_set(struct reader *r) {
    struct regexp_node *node;
    struct regexp_set *set = new_set(r, &node);
    if (more(r) && *r->at == '^') {
        set->negated = true;
        r->at++;
    }
    for (bool first = true; more(r) && (first || *r->at != ']');
         first = false) {
        if (take_class(r, set))
            continue;
        const uint32_t from = take(r);
        uint32_t to = from;
        if (r->end - r->at >= 2 && r->at[0] == '-' && r->at[1] != ']') {
            r->at++;
            if (*r->at == '[')
                fail(r, 3001, "such a range in a regular expression");
            to = take(r);
        }
        add_range(r, set, from, to);
    }
    if (!more(r))
        fail(r, 12726, "");
    else
        r->at++;
    return node;
}

static struct regexp_node *take_escape(struct reader *r) {
    struct regexp_node *node;
    if (!more(r)) {
        fail(r, 3001, "a regular expression that ends with \\");
        return new_node(r, NODE_ANY);
    }
    const uint32_t c = take(r);
    if (c >= '1' && c <= '9') {
        const unsigned number = c - '0';
        if (!(r->closed & 1U << number))
            fail(r, 12727, "");
        node = new_node(r, NODE_BACK);
        node->number = number;
    } else if (c < 128 && strchr("dDsSwW", (int)c) && c != 0) {
        struct regexp_set *set = new_set(r, &node);
        set->classes = regexp_class_of_letter((char)c);
        set->negated = c == 'D' || c == 'S' || c == 'W';
    } else if (c == 'A') {
        node = new_node(r, NODE_TEXT_START);
    } else if (c == 'Z' || c == 'z') {
        node = new_node(r, NODE_TEXT_END);
    } else {
        node = new_node(r, NODE_CHARACTER);
        node->character = c;
    }
    return node;
}

static struct regexp_node *take_alternatives(struct reader *r);

static struct regexp_node *take_group(struct reader *r) {
    struct regexp_node *node = new_node(r, NODE_GROUP);
    if (r->depth++ == DEEPEST)
        fail(r, 3001, "so deep a regular expression");
    node->number = ++r->made->groups;
    if (more(r) && *r->at == '?')
        fail(r, 3001, "(? in a regular expression");
    node->inside = take_alternatives(r);
    if (more(r)) {
        r->at++; // )
        if (node->number < REGEXP_GROUPS)
            r->closed |= 1U << node->number;
    } else {
        fail(r, 12725, "");
    }
    r->depth--;
    return node;
}

static unsigned take_number(struct reader *r) {
    unsigned number = 0;
    if (!more(r) || *r->at < '0' || *r->at > '9')
        fail(r, 3001, "such a { in a regular expression");
    while (more(r) && *r->at >= '0' && *r->at <= '9' && number < 100000)
        number = number * 10 + (unsigned)(*r->at++ - '0');
    return number;
}

static void take_count(struct reader *r, struct regexp_node *node) {
    r->at++;
    node->least = node->most = take_number(r);
    if (more(r) && *r->at == ',') {
        r->at++;
        node->most = UINT32_MAX;
        if (more(r) && *r->at != '}')
            node->most = take_number(r);
    }
    if (!more(r) || *r->at != '}' || node->least > node->most ||
        node->least > 1000)
        fail(r, 3001, "such a { in a regular expression");
    else
        r->at++;
}

static bool take_quantifier(struct reader *r, struct regexp_node *node) {
    static const struct {
        char sign;
        unsigned minimum, most;
    } signs[] = {{'*', 0, UINT32_MAX}, {'+', 1, UINT32_MAX}, {'?', 0, 1}};
    if (!more(r))
        return false;
    for (size_t i = 0; i < sizeof signs / sizeof *signs && more(r); i++)
        if (!node->repeated && *r->at == signs[i].sign) {
            node->least = signs[i].minimum;
            node->most = signs[i].most;
            node->repeated = true;
            r->at++;
        }
    if (!node->repeated && more(r) && *r->at == '{') {
        take_count(r, node);
        node->repeated = true;
    }
    if (!node->repeated)
        return false;
    if (more(r) && *r->at == '?') {
        node->lazy = true;
        r->at++;
    }
    if (more(r) && strchr("*+?{", *r->at))
        fail(r, 3001, "two quantifiers in a regular expression");
    return true;
}

static struct regexp_node *take_one(struct reader *r) {
    struct regexp_node *node;
    const uint32_t c = take(r);
    switch (c) {
    case '\\':
        return take_escape(r);
    case '[':
        return take_set(r);
    case '(':
        return take_group(r);
    case '.':
        return new_node(r, NODE_ANY);
    case '^':
        return new_node(r, NODE_LINE_START);
    case '$':
        return new_node(r, NODE_LINE_END);
    case '*':
    case '+':
    case '?':
    case '{':
        fail(r, 3001, "a quantifier without what it repeats");
        break;
    default:
        break;
    }
    node = new_node(r, NODE_CHARACTER);
    node->character = c;
    return node;
}

static bool is_place(const struct regexp_node *node) {
    return node->kind >= NODE_LINE_START && node->kind <= NODE_TEXT_END;
}

static struct regexp_node *take_sequence(struct reader *r) {
    struct regexp_node *first = NULL, *last = NULL;
    while (more(r) && *r->at != '|' && *r->at != ')') {
        if (r->made->flags.skips_blanks && strchr(" \t\r\n", *r->at)) {
            r->at++;
            continue;
        }
        struct regexp_node *node = take_one(r);
        if (!r->error && take_quantifier(r, node)) {
            r->made->several |= r->repeats || node->kind == NODE_GROUP;
            r->repeats = true;
            if (is_place(node))
                fail(r, 3001, "a quantifier of a place");
        }
        if (last)
            last->next = node;
        else
            first = node;
        last = node;
    }
    if (!first) {
        first = new_node(r, NODE_TEXT_END);
        first->empty = true;
    }
    return first;
}

static struct regexp_node *take_alternatives(struct reader *r) {
    struct regexp_node *first = take_sequence(r), *last = first;
    while (more(r) && *r->at == '|') {
        r->at++;
        r->made->several = true;
        last->other = take_sequence(r);
        last = last->other;
    }
    return first;
}

unsigned regexp_read(struct regexp *regexp, const char *pattern, size_t length,
                     struct regexp_flags flags, const char **about) {
    struct reader r = {
        .made = regexp, .at = pattern, .end = pattern + length, .about = ""};
    regexp->flags = flags;
    regexp->nodes = regexp->sets = regexp->ranges = regexp->groups = 0;
    regexp->several = false;
    if (length > LONGEST_REGEXP)
        return 12733;
    regexp->first = take_alternatives(&r);
    if (more(&r)) // a closing parenthesis
        fail(&r, 12725, "");
    for (unsigned i = 0; i < regexp->nodes; i++) // Oracle takes the first then
        if (regexp->node[i].lazy)
            regexp->several = false;
    *about = r.about;
    return r.error;
}
