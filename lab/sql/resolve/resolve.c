// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/resolve/resolve.h"

#include "sql/resolve/resolver.h"

bool resolve_expression(struct statement *s, const char *schema,
                        const struct catalog *catalog, struct expr *value,
                        bool condition) {
    struct resolver r = {.s = s,
                         .catalog = catalog,
                         .schema = schema,
                         .sequences_allowed = true};
    s->tree->sequences = NULL; // those of the expression before
    if (condition)
        resolve_condition(&r, value);
    else
        resolve_value(&r, value);
    return !s->error;
}

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
    case TREE_MERGE:
        resolve_merge(&r);
        break;
    case TREE_BLOCK: // see plsql/
    case TREE_CREATE_UNIT:
    case TREE_DROP_UNIT:
        break;
    case TREE_LOCK:
        resolve_target(&r);
        if (!s->tree->target->own)
            statement_refuse(s, 1031, s->tree->target->table.last, "");
        break;
    case TREE_CREATE_VIEW:
    case TREE_DROP_VIEW:
    case TREE_CREATE_SYNONYM:
    case TREE_DROP_SYNONYM:
        resolve_view_definition(&r);
        break;
    case TREE_CREATE_CLUSTER:
        resolve_create_cluster(&r);
        break;
    case TREE_DROP_CLUSTER:
        resolve_drop_cluster(&r);
        break;
    case TREE_CREATE_SEQUENCE:
        resolve_create_sequence(&r);
        break;
    case TREE_DROP_SEQUENCE:
        break;
    default:
        resolve_definition(&r);
    }
    return !s->error;
}
