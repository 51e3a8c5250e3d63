// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef ORALAB_STATEMENT_TEXT_H
#define ORALAB_STATEMENT_TEXT_H

#include <stddef.h>

#include "sql/parse/statement.h"

struct code;

// Tokens [from, to) of the statement that are not SQL's: they become a bind of
// that value; without a value they are left out.
struct reference {
    struct reference *next;
    unsigned from, to;
    struct code *code;
};

// From malloc; NULL without memory. `bind` takes the values in their order, and
// has room for as many as the statement has tokens; `of_bind` gives those of
// the statement's own placeholders.
char *statement_text(const struct statement *s, const struct reference *first,
                     struct code *(*of_bind)(void *data, unsigned token),
                     void *data, struct code **bind, size_t *length);

#endif
