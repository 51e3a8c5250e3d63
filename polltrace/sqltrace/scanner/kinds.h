// SPDX-License-Identifier: GPL-2.0-or-later
// Counts the lines that nobody understood, by kind: the word they begin with.
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { MOST_KINDS = 64, LONGEST_KIND = 32 };

struct kinds {
    size_t count;
    struct kind {
        char name[LONGEST_KIND];
        uint64_t lines;
    } kind[MOST_KINDS];
};

// Count `lines` more of the kind of that name. All kinds after the first
// MOST_KINDS - 1 are one.
void kinds_add(struct kinds *kinds, const char *name, size_t len,
               uint64_t lines);

// Add the counts of `from`.
void kinds_add_all(struct kinds *to, const struct kinds *from);

// Count the line [at, end) by its first word.
void kinds_add_line(struct kinds *kinds, const char *at, const char *end);
