// SPDX-License-Identifier: GPL-2.0-or-later
// The placeholders of a statement, numbered in the order of the text.
#ifndef ORALAB_PLACEHOLDERS_H
#define ORALAB_PLACEHOLDERS_H

#include <stdint.h>

#include "sql/parse/limits.h"

struct statement;

struct placeholder {
    char name[BIND_NAME];
    unsigned first; // the index of the first one of the same name
    unsigned token;
    // The type (enum operand_type) that it is used as, and that the SQL is
    // emitted for; 0: any. A value of another type needs a new translation that
    // knows it.
    uint8_t expected;
};

// Fills in the statement's `bind` and `binds`, or refuses it.
void placeholders_read(struct statement *s);
// 1 + the index of the placeholder at this token.
unsigned placeholder_at(const struct statement *s, unsigned token);

#endif
