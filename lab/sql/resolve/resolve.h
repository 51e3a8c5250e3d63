// SPDX-License-Identifier: GPL-2.0-or-later
// The meaning of the names in a tree, and the types of its values.
#ifndef ORALAB_RESOLVE_H
#define ORALAB_RESOLVE_H

#include "sql/parse/tree.h"
#include "sql/resolve/catalog.h"

// Resolves s->tree. `schema` is the schema of new tables, quoted. Without a
// `catalog` (NULL) no column has a known type. False after refusing.
bool resolve_tree(struct statement *s, const char *schema,
                  const struct catalog *catalog);

// The same of an expression of PL/SQL in the statement.
bool resolve_expression(struct statement *s, const char *schema,
                        const struct catalog *catalog, struct expr *value,
                        bool condition);

#endif
