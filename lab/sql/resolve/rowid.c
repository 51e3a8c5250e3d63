// SPDX-License-Identifier: GPL-2.0-or-later
// ROWID as a column. Which table's it is decides the data object in it.
#include "sql/resolve/resolver.h"

// The table that the name's qualifier denotes; without one, the query's only
// table.
static struct source *table_of(struct resolver *r, struct name name) {
    struct source *source = NULL;
    const struct scope *scope = r->scope;
    for (; scope && !source; scope = scope->outer) {
        for (struct source *one = scope->sources; one; one = one->next) {
            if (!scope_is_called(r, one, name))
                continue;
            if (source && name.first == name.last)
                statement_refuse(r->s, 918, name.last, "");
            source = one;
        }
        if (name.first == name.last)
            break;
    }
    return source;
}

static uint32_t object_of(struct resolver *r, const struct source *table) {
    char owner[LONGEST_NAME + 1] = "", name[LONGEST_NAME + 1];
    if (!table->in_catalog || !r->catalog || !r->catalog->object)
        return 0;
    if (table->table.first < table->table.last)
        name_spell(&r->s->tokens[table->table.first], owner);
    name_spell(&r->s->tokens[table->table.last], name);
    return r->catalog->object(r->catalog->data, owner, name);
}

void resolve_rowid(struct resolver *r, struct expr *column) {
    struct source *table = table_of(r, column->name);
    if (table) {
        column->object = object_of(r, table);
        table->rowids = true;
    }
    if (column->object == 0)
        statement_refuse(r->s, 3001, column->from, "the ROWID of this table");
    column->type = column->shown = OPERAND_ROWID;
}
