// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/resolve/resolve.h"

#include "sql/resolve/resolver.h"

bool resolve_tree(struct statement *s, const char *schema,
                  const struct catalog *catalog) {
    struct resolver r = {.s = s, .catalog = catalog, .schema = schema};
    switch (s->tree->kind) {
    case TREE_QUERY:
        resolve_query(&r, s->tree->query);
        break;
    case TREE_INSERT:
    case TREE_UPDATE:
    case TREE_DELETE:
        resolve_change(&r);
        break;
    case TREE_BLOCK:
        resolve_plsql(&r);
        break;
    default:
        resolve_definition(&r);
    }
    return !s->error;
}
