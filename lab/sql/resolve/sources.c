// SPDX-License-Identifier: GPL-2.0-or-later
// The sources of a FROM: tables of the user and of SYS, queries of WITH, views.
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "process/link_definition.h"
#include "sql/resolve/resolver.h"
#include "sql/types/column_type.h"

enum { UNITS_PER_TABLE = 10000 }; // SQLite prepares a query of it

struct taking {
    struct resolver *r;
    struct column_defs *columns;
};

static void take_column(void *to, const char *name, const char *declared,
                        bool own) {
    struct taking *taking = to;
    struct statement *s = taking->r->s;
    enum { MOST_DECLARED = 40 };
    const size_t length = strlen(name), type = declared ? strlen(declared) : 0;
    struct column_def column = {.type =
                                    operand_type_of_declaration(declared, own)};
    char *spelled = statement_take(s, length < LONGEST_NAME ? length + 1 : 1);
    char *kept = statement_take(s, MOST_DECLARED);
    if (length < LONGEST_NAME)
        memcpy(spelled, name, length);
    snprintf(kept, MOST_DECLARED, "%.*s", (int)type, declared ? declared : "");
    column.name = spelled;
    column.declared = kept;
    column.shown = column.type;
    column.fixed = column_type_is_fixed(declared);
    columns_append(taking->r, taking->columns, &column);
}

static const struct with *with_named(const struct resolver *r, unsigned name) {
    for (const struct with_scope *one = r->withs; one; one = one->outer)
        if (name_equals(&r->s->tokens[one->with->name], &r->s->tokens[name]))
            return one->with;
    return NULL;
}

// Whether a WITH clause defines the name, though not at this place.
static bool is_with_elsewhere(const struct resolver *r, unsigned name) {
    for (const struct with *one = r->s->tree->withs; one; one = one->others)
        if (name_equals(&r->s->tokens[one->name], &r->s->tokens[name]))
            return true;
    return false;
}

// SYS names the underlying views V_$SESSION.
static bool is_underlying(const struct token *name) {
    return (name->length > 3 && strncasecmp(name->at, "v_$", 3) == 0) ||
           (name->length > 4 && strncasecmp(name->at, "gv_$", 4) == 0);
}

static enum place place_of(const struct resolver *r,
                           const struct source *source,
                           enum table_owner owner) {
    const unsigned name = source->table.last;
    const bool owned = source->table.first < name;
    if (owner == OWN_TABLE)
        return PLACE_OWN;
    if (owner == DICTIONARY_VIEW)
        return PLACE_VIEW;
    if (r->catalog && is_with_elsewhere(r, name))
        return PLACE_SYS;
    if (owned)
        return statement_is(r->s, source->table.first, "sys") ? PLACE_SYS
                                                              : PLACE_OWNER;
    return is_underlying(&r->s->tokens[name]) ? PLACE_SYS : PLACE_BARE;
}

static void resolve_remote_table(struct resolver *r, struct source *source,
                                 const char *owner, const char *table) {
    enum { NO_LINK = 2019 };
    const struct catalog *catalog = r->catalog;
    struct taking taking = {r, &source->columns};
    char link[LINK_NAME], *name = statement_take(r->s, REMOTE_NAME);
    statement_spell(r->s, source->link.first, source->link.last, link,
                    sizeof link);
    if (r->s->error)
        return;
    const unsigned error =
        catalog && catalog->remote_table
            ? catalog->remote_table(catalog->data, link, owner, table, name,
                                    take_column, &taking)
            : NO_LINK;
    if (error)
        statement_refuse(r->s, error, source->table.last, "");
    source->remote_name = name;
    source->columns.known = true;
    source->place = PLACE_REMOTE;
}

void resolve_table(struct resolver *r, struct source *source) {
    char owner[LONGEST_NAME + 1] = "", table[LONGEST_NAME + 1];
    const unsigned name = source->table.last;
    const bool owned = source->table.first < name;
    const struct with *with =
        owned || source->link.first ? NULL : with_named(r, name);
    struct taking taking = {r, &source->columns};
    if (with) {
        source->columns = with->defs;
        source->place = PLACE_BARE;
        return;
    }
    if (owned)
        name_spell(&r->s->tokens[source->table.first], owner);
    name_spell(&r->s->tokens[name], table);
    statement_work(r->s, UNITS_PER_TABLE);
    if (source->link.first) {
        resolve_remote_table(r, source, owner, table);
        return;
    }
    r->s->tree->local = true;
    const enum table_owner found =
        r->s->error  ? NO_TABLE
        : r->catalog ? r->catalog->table(r->catalog->data, owner, table,
                                         take_column, &taking)
                     : OTHERS_TABLE;
    if (found == NO_TABLE)
        statement_refuse(r->s, 942, name, "");
    if (found == USER_VIEW || found == SYNONYM) {
        if (found == USER_VIEW)
            resolve_view(r, source);
        else
            resolve_synonym(r, source);
        return;
    }
    source->columns.known = source->columns.count > 0;
    source->in_catalog = true;
    source->own = found == OWN_TABLE;
    source->place = place_of(r, source, found);
}

static void add_source(struct resolver *r, struct block *block,
                       struct source *source) {
    if (source->query) {
        // A query sees nothing of the tables around it.
        const struct scope *scope = r->scope;
        r->scope = scope->outer;
        resolve_query(r, source->query);
        r->scope = scope;
        source->columns = source->query->columns;
    } else if (source->function) {
        resolve_table_function(r, source);
    } else {
        resolve_table(r, source);
    }
    if (block->last_source)
        block->last_source->next = source;
    else
        block->sources = source;
    block->last_source = source;
}

static void add_using(struct resolver *r, struct join *join,
                      struct names *names) {
    if (join->kind != JOIN_SOURCE) {
        add_using(r, join->left, names);
        if (join->right)
            add_using(r, join->right, names);
        return;
    }
    struct names_list *list = statement_take(r->s, sizeof *list);
    list->names = names;
    list->next = join->source->using;
    join->source->using = list;
}

static bool is_joined_by(const struct resolver *r, const struct join *join,
                         const char *column) {
    const struct name_entry *entry = join->using.first;
    while (entry && !name_spells(&r->s->tokens[entry->token], column))
        entry = entry->next;
    return join->natural || entry;
}

// A CHAR of that name and of another size, or whose size is not known.
static bool has_other_char(const struct join *join,
                           const struct column_def *than) {
    if (join->kind != JOIN_SOURCE)
        return has_other_char(join->left, than) ||
               (join->right && has_other_char(join->right, than));
    const struct column_def *column = join->source->columns.first;
    while (column && (!column->fixed || strcmp(column->name, than->name) != 0))
        column = column->next;
    return column && (!column->declared || !than->declared ||
                      strcmp(column->declared, than->declared) != 0);
}

// SQLite compares these columns as they are stored, where CHARs of two sizes
// differ in their blanks.
static void refuse_chars(struct resolver *r, const struct join *join,
                         const struct join *right) {
    if (right->kind != JOIN_SOURCE) {
        refuse_chars(r, join, right->left);
        if (right->right)
            refuse_chars(r, join, right->right);
        return;
    }
    const struct column_def *column = right->source->columns.first;
    for (; column; column = column->next)
        if (column->fixed && is_joined_by(r, join, column->name) &&
            has_other_char(join->left, column))
            statement_refuse(r->s, 3001, right->source->table.last,
                             "USING or NATURAL with CHARs of two sizes");
}

static void collect(struct resolver *r, struct block *block,
                    struct join *join) {
    if (r->s->error)
        return;
    if (join->kind == JOIN_SOURCE) {
        add_source(r, block, join->source);
        return;
    }
    collect(r, block, join->left);
    if (join->right)
        collect(r, block, join->right);
    if (join->right)
        refuse_chars(r, join, join->right);
    if (join->using.count > 0)
        add_using(r, join, &join->using);
}

static void resolve_conditions(struct resolver *r, struct join *join) {
    if (join->kind == JOIN_SOURCE)
        return;
    resolve_conditions(r, join->left);
    if (join->right)
        resolve_conditions(r, join->right);
    if (join->on)
        resolve_condition(r, join->on);
}

void resolve_sources(struct resolver *r, struct block *block) {
    for (struct join *one = block->joins.first; one; one = one->next)
        collect(r, block, one);
    ((struct scope *)r->scope)->sources = block->sources;
    for (struct join *one = block->joins.first; one; one = one->next)
        resolve_conditions(r, one);
}
