// SPDX-License-Identifier: GPL-2.0-or-later
// The user's views and synonyms: a view's query, and a synonym's object, in the
// place of its name; and the requirements of CREATE and DROP.
#include <stdio.h>
#include <string.h>

#include "sql/parse/parse.h"
#include "sql/resolve/resolver.h"

enum {
    UNIMPLEMENTED = 3001,
    CANCELLED = 1013,
    NO_MEMORY = 4030,
    INVALID_VIEW = 4063,
    MOST_SYNONYMS = 50, // one of another
};

struct definition {
    struct statement *s;
    char *text;
    size_t length;
    struct view_column *first, *last;
};

static char *keep(struct statement *s, const char *text, size_t length) {
    char *copy = tree_memory_take(&s->memory, length + 1);
    if (copy)
        memcpy(copy, text, length);
    else
        statement_refuse(s, NO_MEMORY, 0, "");
    return copy;
}

static void take_text(void *to, unsigned n, const char *text, size_t length) {
    struct definition *definition = to;
    struct statement *s = definition->s;
    if (n == 0) {
        definition->text = keep(s, text, length);
        definition->length = length;
        return;
    }
    struct view_column *column = statement_take(s, sizeof *column);
    column->inner = keep(s, text, length);
    if (definition->last)
        definition->last->next = column;
    else
        definition->first = column;
    definition->last = column;
}

// The tree of CREATE VIEW or CREATE SYNONYM; NULL after refusing.
static struct tree *read_definition(struct resolver *r, unsigned name,
                                    struct definition *to) {
    char spelled[LONGEST_NAME + 1];
    *to = (struct definition){.s = r->s};
    name_spell(&r->s->tokens[name], spelled);
    if (!r->catalog->definition(r->catalog->data, spelled, take_text, to))
        statement_refuse(r->s, 942, name, "");
    return r->s->error ? NULL : parse_more(r->s, to->text, to->length);
}

// Whatever is wrong with it, the statement only names it.
static void refuse_view(struct resolver *r, unsigned name) {
    struct statement *s = r->s;
    char spelled[LONGEST_NAME + 1];
    s->error_at = name;
    if (s->error == UNIMPLEMENTED || s->error == CANCELLED ||
        s->error == NO_MEMORY || s->error == 1731)
        return;
    name_spell(&s->tokens[name], spelled);
    s->error = INVALID_VIEW;
    snprintf(s->about, sizeof s->about, "view \"%.*s.%s\"",
             (int)strlen(r->schema) - 2, r->schema + 1, spelled);
}

// The columns that it had when it was made, with the types that they have now.
static void settle_columns(struct resolver *r, struct source *view,
                           const struct query *query) {
    struct view_column *column = view->view;
    struct column_def *def = view->columns.first;
    for (; column && def; column = column->next, def = def->next) {
        const struct column_def *inner = query->columns.first;
        while (inner &&
               !(inner->name && strcmp(inner->name, column->inner) == 0))
            inner = inner->next;
        column->name = def->name;
        if (!inner) {
            statement_refuse(r->s, INVALID_VIEW, view->table.last, "");
            return;
        }
        def->type = inner->type;
        def->shown = inner->shown;
        def->declared = inner->declared;
        def->fixed = inner->fixed;
    }
    view->columns.known = true;
}

static bool is_being_made(const struct resolver *r, unsigned name) {
    const struct tree *tree = r->s->tree;
    return tree->kind == TREE_CREATE_VIEW &&
           name_equals(&r->s->tokens[tree->target->table.last],
                       &r->s->tokens[name]);
}

void resolve_view(struct resolver *r, struct source *source) {
    const unsigned name = source->table.last;
    const struct scope *scope = r->scope;
    const struct with_scope *withs = r->withs;
    struct definition definition;
    if (is_being_made(r, name)) {
        statement_refuse(r->s, 1731, name, "");
        return;
    }
    const struct tree *tree = read_definition(r, name, &definition);
    if (tree) {
        bool (*const variable)(struct statement *, struct expr *, void *) =
            r->s->variable;
        r->scope = NULL;
        r->withs = NULL;
        r->s->variable = NULL;
        source->query = tree->query;
        source->view = definition.first;
        resolve_query(r, tree->query);
        if (!r->s->error)
            settle_columns(r, source, tree->query);
        r->s->variable = variable;
        r->scope = scope;
        r->withs = withs;
    }
    source->own = true;
    if (r->s->error)
        refuse_view(r, name);
}

void resolve_synonym(struct resolver *r, struct source *source) {
    const unsigned name = source->table.last;
    struct definition definition;
    if (r->synonyms++ == MOST_SYNONYMS) {
        statement_refuse(r->s, 1775, name, "");
        return;
    }
    const struct tree *tree = read_definition(r, name, &definition);
    if (!tree)
        return;
    if (!source->alias)
        source->alias = name;
    source->table = tree->target->table;
    source->link = tree->target->link;
    resolve_table(r, source);
    if (r->s->error == 942)
        r->s->error = 980;
    if (r->s->error)
        r->s->error_at = name;
    r->synonyms--;
}

static void take_nothing(void *to, const char *column, const char *declared,
                         bool own) {
    (void)to, (void)column, (void)declared, (void)own;
}

// The kind of the user's object of that name.
static enum table_owner kind_of(struct resolver *r, unsigned name) {
    char spelled[LONGEST_NAME + 1], owner[LONGEST_NAME + 1];
    name_spell(&r->s->tokens[name], spelled);
    snprintf(owner, sizeof owner, "%.*s", (int)strlen(r->schema) - 2,
             r->schema + 1);
    return r->catalog ? r->catalog->table(r->catalog->data, owner, spelled,
                                          take_nothing, NULL)
                      : NO_TABLE;
}

void resolve_own_name(struct resolver *r, struct name name) {
    char owner[LONGEST_NAME + 1];
    if (name.first == name.last)
        return;
    name_spell(&r->s->tokens[name.first], owner);
    if (strlen(owner) + 2 != strlen(r->schema) ||
        strncmp(owner, r->schema + 1, strlen(owner)) != 0)
        statement_refuse(r->s, 1031, name.first, "");
}

// Whether CREATE may take the name; `same` is the kind that OR REPLACE
// replaces.
static void check_name(struct resolver *r, unsigned name,
                       enum table_owner same) {
    char spelled[LONGEST_NAME + 1];
    const enum table_owner owner = kind_of(r, name);
    if (r->s->tokens[name].length > LONGEST_NAME)
        statement_refuse(r->s, 972, name, "");
    name_spell(&r->s->tokens[name], spelled);
    if ((owner != NO_TABLE && !(owner == same && r->s->tree->replaces)) ||
        (r->catalog && r->catalog->sequence &&
         r->catalog->sequence(r->catalog->data, spelled)))
        statement_refuse(r->s, 955, name, "");
    r->s->tree->replaces = owner == same;
    if (r->catalog && r->catalog->differs_in_case &&
        r->catalog->differs_in_case(r->catalog->data, spelled))
        statement_refuse(r->s, UNIMPLEMENTED, name,
                         "names that differ in their case alone");
}

// Expressions have no names of their own in a view.
static void check_items(struct resolver *r, const struct query *query) {
    while (query->first->inner)
        query = query->first->inner;
    for (const struct item *one = query->first->items.first; one;
         one = one->next)
        if (!one->star && !one->alias &&
            (one->value->kind != EXPR_COLUMN || one->value->function))
            statement_refuse(r->s, 998, one->from, "");
}

static void create_view(struct resolver *r) {
    struct tree *tree = r->s->tree;
    const struct column_defs *columns = &tree->query->columns;
    const unsigned name = tree->target->table.last;
    resolve_own_name(r, tree->target->table);
    check_name(r, name, USER_VIEW);
    if (r->s->binds > 0)
        statement_refuse(r->s, 1027, r->s->bind[0].token, "");
    resolve_query(r, tree->query);
    if (r->s->error)
        return;
    if (!columns->known || columns_have_twice(r, columns, NULL))
        statement_refuse(r->s, columns->known ? 957 : UNIMPLEMENTED, name,
                         columns->known ? "" : "a view of such columns");
    if (tree->view_columns.count == 0)
        check_items(r, tree->query);
    else if (tree->view_columns.count != columns->count)
        statement_refuse(r->s, 1730, tree->view_columns.first->token, "");
    for (const struct name_entry *a = tree->view_columns.first; a; a = a->next)
        for (const struct name_entry *b = a->next; b; b = b->next)
            if (name_equals(&r->s->tokens[a->token], &r->s->tokens[b->token]))
                statement_refuse(r->s, 957, b->token, "");
}

static bool has_public_synonym(struct resolver *r, unsigned name) {
    char spelled[LONGEST_NAME + 1];
    name_spell(&r->s->tokens[name], spelled);
    return r->catalog && r->catalog->table(r->catalog->data, "PUBLIC", spelled,
                                           take_nothing, NULL) == SYNONYM;
}

void resolve_view_definition(struct resolver *r) {
    struct tree *tree = r->s->tree;
    const unsigned name = tree->name.last;
    switch (tree->kind) {
    case TREE_CREATE_VIEW:
        create_view(r);
        break;
    case TREE_DROP_VIEW:
        resolve_own_name(r, tree->target->table);
        if (kind_of(r, tree->target->table.last) != USER_VIEW)
            statement_refuse(r->s, 942, tree->target->table.last, "");
        break;
    case TREE_CREATE_SYNONYM:
        if (!tree->is_public) {
            resolve_own_name(r, tree->name);
            check_name(r, name, SYNONYM);
        } else if (has_public_synonym(r, name) && !tree->replaces) {
            statement_refuse(r->s, 955, name, "");
        }
        if (tree->is_public)
            tree->replaces = has_public_synonym(r, name);
        break;
    default:
        if (!tree->is_public)
            resolve_own_name(r, tree->name);
        if (!(tree->is_public ? has_public_synonym(r, name)
                              : kind_of(r, name) == SYNONYM))
            statement_refuse(r->s, tree->is_public ? 1432 : 1434, name, "");
    }
}
