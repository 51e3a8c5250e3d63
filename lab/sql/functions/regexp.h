// SPDX-License-Identifier: GPL-2.0-or-later
// Regular expressions as Oracle's REGEXP functions have them: POSIX's extended
// ones in UTF-8, with back-references, non-greedy quantifiers and \d, \s, \w.
#ifndef ORALAB_REGEXP_H
#define ORALAB_REGEXP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    REGEXP_GROUPS = 10, // \0 to \9
    REGEXP_NODES = 600,
    REGEXP_SETS = 64,
    REGEXP_RANGES = 512,
    LONGEST_REGEXP = 512, // bytes
};

struct regexp_node;

struct regexp_flags {
    bool ignores_case, dot_is_any, lines, skips_blanks; // i, n, m, x
};

struct regexp {
    struct regexp_flags flags;
    unsigned nodes, sets, ranges, groups;
    // The first match found may differ from the longest one.
    bool several;
    struct regexp_node *first;
    struct regexp_node {
        enum {
            NODE_CHARACTER,
            NODE_ANY,
            NODE_SET,
            NODE_LINE_START,
            NODE_LINE_END,
            NODE_TEXT_START,
            NODE_TEXT_END,
            NODE_GROUP,
            NODE_BACK,
        } kind;
        uint32_t character;
        unsigned number; // of a set, or a group
        unsigned least, most;
        bool lazy, repeated;
        struct regexp_node *next;   // in a sequence
        struct regexp_node *inside; // of a group: its first sequence
        struct regexp_node *other;  // of a sequence's first: the next one
        bool empty;                 // stands for a sequence of nothing
    } node[REGEXP_NODES];
    struct regexp_set {
        bool negated;
        unsigned first, count; // ranges
        unsigned classes;      // bits
    } set[REGEXP_SETS];
    struct regexp_range {
        uint32_t from, to;
    } range[REGEXP_RANGES];
};

struct regexp_match {
    const char *from[REGEXP_GROUPS], *to[REGEXP_GROUPS]; // NULL: not taken
};

// Returns 0 or the number of an error, with `about` for ORA-03001.
unsigned regexp_read(struct regexp *regexp, const char *pattern, size_t length,
                     struct regexp_flags flags, const char **about);
// The first match in [text, end) that begins at `at` or later. False if there
// is none, or with *error.
bool regexp_find(const struct regexp *regexp, const char *text, const char *end,
                 const char *at, struct regexp_match *match, unsigned *error,
                 const char **about);

#endif
