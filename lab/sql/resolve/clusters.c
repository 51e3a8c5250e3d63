// SPDX-License-Identifier: GPL-2.0-or-later
// Hash clusters: requirements of CREATE and DROP CLUSTER and of their tables.
#include <stdio.h>
#include <string.h>

#include "sql/resolve/resolver.h"
#include "sql/types/view_marks.h"

enum {
    MOST_KEY_COLUMNS = 16,
    MOST_TABLES = 32,
    UNIMPLEMENTED = 3001,
    NO_CLUSTER = 943,
};

static bool is_lob(const char *declared) {
    return declared &&
           (strcmp(declared, "CLOB") == 0 || strcmp(declared, "BLOB") == 0);
}

static struct column_spec *spec_named(const struct resolver *r, unsigned name) {
    const struct token *tokens = r->s->tokens;
    struct column_spec *spec = r->s->tree->specs.first;
    while (spec &&
           !(spec->name && name_equals(&tokens[spec->name], &tokens[name])))
        spec = spec->next;
    return spec;
}

static void resolve_key(struct resolver *r) {
    unsigned count = 0;
    for (struct column_spec *one = r->s->tree->specs.first; one && !r->s->error;
         one = one->next) {
        type_name_of_column(r, one->type);
        if (spec_named(r, one->name) != one)
            statement_refuse(r->s, 957, one->name, "");
        if (is_lob(one->type->declared))
            statement_refuse(r->s, UNIMPLEMENTED, one->name,
                             "a LOB in a cluster");
        if (++count > MOST_KEY_COLUMNS)
            statement_refuse(r->s, UNIMPLEMENTED, one->name,
                             "a cluster key of more than 16 columns");
    }
}

// Rows are found by their key, whatever the function: a column must be one that
// Oracle takes.
static void resolve_hash(struct resolver *r, const struct expr *hash) {
    if (hash->kind != EXPR_COLUMN || hash->name.first < hash->name.last) {
        statement_refuse(r->s, UNIMPLEMENTED, hash->from,
                         "HASH IS of an expression");
        return;
    }
    const struct column_spec *column = spec_named(r, hash->name.last);
    const char *declared = column ? column->type->declared : NULL;
    if (!declared)
        statement_refuse(r->s, 2457, hash->from, "");
    else if (strcmp(declared, "INT") != 0 &&
             !(strncmp(declared, "NUMBER(", 7) == 0 && strstr(declared, ",0)")))
        statement_refuse(r->s, 2456, hash->from, "");
}

static void check_name(struct resolver *r, unsigned name) {
    char full_name[sizeof CLUSTER_NAME + LONGEST_NAME] = CLUSTER_NAME;
    if (r->s->tokens[name].length > LONGEST_NAME)
        statement_refuse(r->s, 972, name, "");
    name_spell(&r->s->tokens[name], full_name + sizeof CLUSTER_NAME - 1);
    if (r->catalog && r->catalog->differs_in_case &&
        r->catalog->differs_in_case(r->catalog->data, full_name))
        statement_refuse(r->s, UNIMPLEMENTED, name,
                         "names that differ in their case alone");
}

void resolve_create_cluster(struct resolver *r) {
    const struct tree *tree = r->s->tree;
    const struct cluster_options *options = &tree->options;
    resolve_own_name(r, tree->name);
    check_name(r, tree->name.last);
    if (!options->hashkeys)
        statement_refuse(r->s, options->hash ? 2458 : UNIMPLEMENTED,
                         tree->name.last,
                         options->hash ? "" : "an index cluster");
    resolve_key(r);
    if (options->hash && !r->s->error)
        resolve_hash(r, options->hash);
}

// The type of the new table's column of this name, which execute/create_as.c
// gives to that of a query; NULL: there is none.
static const char *type_named(const struct resolver *r, unsigned name) {
    const struct tree *tree = r->s->tree;
    const struct column_spec *spec = spec_named(r, name);
    const struct column_def *column =
        tree->query ? scope_find(&tree->query->columns, &r->s->tokens[name])
                    : NULL;
    if (spec || !column)
        return spec ? spec->type->declared : NULL;
    return column->declared && *column->declared
               ? column->declared
               : operand_type_declaration(column->shown);
}

// The columns of CLUSTER, each of which has the type of the key's.
struct key {
    struct resolver *r;
    const struct name_entry *next;
    bool missing;
};

static void take_key_column(void *to, const char *column, const char *declared,
                            bool own) {
    struct key *key = to;
    const struct name_entry *entry = key->next;
    (void)column, (void)own;
    key->missing = key->missing || !entry;
    if (!entry)
        return;
    const char *type = type_named(key->r, entry->token);
    if (!type)
        statement_refuse(key->r->s, 945, entry->token, "");
    else if (strcmp(type, declared) != 0)
        statement_refuse(key->r->s, 1753, entry->token, "");
    key->next = entry->next;
}

// The tables in a cluster.
struct tables {
    struct resolver *r;
    const char *cluster;
    uint32_t numbers; // bit n: there is a table n + 1
    struct clustered_table *first;
};

static void take_table(void *to, const char *cluster, unsigned number,
                       const char *table) {
    struct tables *tables = to;
    struct statement *s = tables->r->s;
    if (strcmp(cluster, tables->cluster) != 0)
        return;
    struct clustered_table *clustered = statement_take(s, sizeof *clustered);
    char *name = statement_take(s, LONGEST_NAME + 1);
    snprintf(name, LONGEST_NAME + 1, "%s", table);
    *clustered = (struct clustered_table){tables->first, name};
    tables->first = clustered;
    tables->numbers |= 1U << (number - 1) % MOST_TABLES;
}

static struct tables tables_of(struct resolver *r, const char *cluster) {
    struct tables tables = {.r = r, .cluster = cluster};
    if (r->catalog && r->catalog->clustered)
        r->catalog->clustered(r->catalog->data, take_table, &tables);
    return tables;
}

// Whether there is the cluster; `take` is given the columns of its key.
static bool find(struct resolver *r, unsigned name, take_column_of *take,
                 void *to, bool *single) {
    char spelled[LONGEST_NAME + 1];
    name_spell(&r->s->tokens[name], spelled);
    *single = false;
    if (!r->catalog ||
        (r->catalog->cluster &&
         r->catalog->cluster(r->catalog->data, spelled, take, to, single)))
        return true;
    statement_refuse(r->s, NO_CLUSTER, name, "");
    return false;
}

static void check_columns(struct resolver *r) {
    const struct tree *tree = r->s->tree;
    const struct names *key = &tree->cluster_key;
    bool lob = false;
    for (const struct column_spec *one = tree->specs.first; one;
         one = one->next)
        lob = lob || (one->name && is_lob(one->type->declared));
    for (const struct column_def *one = tree->query ? tree->query->columns.first
                                                    : NULL;
         one; one = one->next)
        lob = lob || is_lob(one->declared);
    if (lob)
        statement_refuse(r->s, UNIMPLEMENTED, tree->cluster.last,
                         "a LOB in a cluster");
    for (const struct name_entry *a = key->first; a; a = a->next)
        for (const struct name_entry *b = a->next; b; b = b->next)
            if (name_equals(&r->s->tokens[a->token], &r->s->tokens[b->token]))
                statement_refuse(r->s, 957, b->token, "");
}

void resolve_clustered(struct resolver *r) {
    struct tree *tree = r->s->tree;
    const unsigned name = tree->cluster.last;
    struct key key = {.r = r, .next = tree->cluster_key.first};
    char spelled[LONGEST_NAME + 1];
    bool single;
    resolve_own_name(r, tree->cluster);
    if (tree->query && tree->sets)
        statement_refuse(r->s, UNIMPLEMENTED, name,
                         "a set of queries in a cluster");
    if (r->s->error || !find(r, name, take_key_column, &key, &single))
        return;
    if (key.missing)
        statement_refuse(r->s, 944, name, "");
    else if ((key.next && r->catalog) ||
             tree->cluster_key.count > MOST_KEY_COLUMNS)
        statement_refuse(r->s, UNIMPLEMENTED, tree->cluster_key.last->token,
                         "more columns than the cluster's key has");
    check_columns(r);
    name_spell(&r->s->tokens[name], spelled);
    const uint32_t numbers = tables_of(r, spelled).numbers;
    if (numbers == UINT32_MAX || (single && numbers))
        statement_refuse(r->s, 2202, name, "");
    else
        tree->cluster_number = (unsigned)__builtin_ctz(~numbers) + 1;
}

static void take_nothing(void *to, const char *column, const char *declared,
                         bool own) {
    (void)to, (void)column, (void)declared, (void)own;
}

void resolve_drop_cluster(struct resolver *r) {
    struct tree *tree = r->s->tree;
    char spelled[LONGEST_NAME + 1];
    bool single;
    resolve_own_name(r, tree->name);
    name_spell(&r->s->tokens[tree->name.last], spelled);
    if (!r->s->error && find(r, tree->name.last, take_nothing, NULL, &single) &&
        tree->including)
        tree->tables = tables_of(r, spelled).first;
}

struct membership {
    const char *table;
    bool found;
};

static void note_table(void *to, const char *cluster, unsigned number,
                       const char *table) {
    struct membership *membership = to;
    (void)cluster, (void)number;
    membership->found =
        membership->found || strcmp(table, membership->table) == 0;
}

void resolve_alter_clustered(struct resolver *r) {
    const struct tree *tree = r->s->tree;
    const struct column_spec *added = tree->specs.first;
    if (!tree->alteration.drops && !(added && is_lob(added->type->declared)))
        return;
    if (resolve_is_clustered(r, tree->target->table))
        statement_refuse(r->s, UNIMPLEMENTED, tree->target->table.last,
                         added ? "a LOB in a cluster"
                               : "DROP COLUMN of a clustered table");
}

bool resolve_is_clustered(const struct resolver *r, struct name table) {
    char spelled[LONGEST_NAME + 1];
    struct membership membership = {.table = spelled};
    name_spell(&r->s->tokens[table.last], spelled);
    if (r->catalog && r->catalog->clustered)
        r->catalog->clustered(r->catalog->data, note_table, &membership);
    return membership.found;
}
