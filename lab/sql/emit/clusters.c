// SPDX-License-Identifier: GPL-2.0-or-later
// Hash clusters. A cluster is a view of SQLite's with one row, as the user's
// views are: the clauses of CREATE CLUSTER, as JSON, and the types of its key's
// columns. A table is kept in it by an index of the key. An index of all
// columns would hold the rows themselves, but whole rows in its inner pages,
// too: with long rows its tree is deeper than both trees are now, and each row
// is stored twice.
#include <stdio.h>
#include <string.h>

#include "sql/emit/emitter.h"
#include "sql/types/view_marks.h"

static void emit_cluster(struct emitter *e, unsigned name) {
    char full_name[sizeof CLUSTER_NAME + LONGEST_NAME] = CLUSTER_NAME;
    name_spell(&e->s->tokens[name], full_name + sizeof CLUSTER_NAME - 1);
    emit_text(e, e->schema);
    emit_text(e, ".");
    emit_identifier(e, full_name);
}

// HASHKEYS is rounded up to a prime number.
static unsigned prime_from(unsigned number) {
    for (unsigned n = number < 2 ? 2 : number;; n++) {
        unsigned divisor = 2;
        while (divisor * divisor <= n && n % divisor != 0)
            divisor++;
        if (divisor * divisor > n)
            return n;
    }
}

static void emit_options(struct emitter *e) {
    const struct cluster_options *options = &e->s->tree->options;
    char size[16] = "null", text[120];
    if (options->size)
        snprintf(size, sizeof size, "%u", options->size);
    const int length = snprintf(
        text, sizeof text,
        "{\"hashkeys\":%u,\"size\":%s,\"single\":%d,\"function\":\"%s\"}",
        prime_from(options->hashkeys), size, options->single,
        options->hash ? "COLUMN" : "DEFAULT2");
    emit_string(e, text, (size_t)length);
}

static void create_cluster(struct emitter *e) {
    const struct column_spec *first = e->s->tree->specs.first;
    emit_text(e, "CREATE VIEW ");
    emit_cluster(e, e->s->tree->name.last);
    emit_text(e, "(\"" CLUSTER_MARK "\"");
    for (const struct column_spec *one = first; one; one = one->next) {
        emit_text(e, ",");
        emit_name(e, one->name);
    }
    emit_text(e, ") AS SELECT ");
    emit_options(e);
    for (const struct column_spec *one = first; one; one = one->next) {
        emit_text(e, ",'");
        emit_text(e, one->type->declared);
        emit_text(e, ":'");
    }
}

// A table that was put into the cluster meanwhile makes it fail.
static void drop_cluster(struct emitter *e) {
    const struct tree *tree = e->s->tree;
    char name[LONGEST_NAME + 1];
    emit_text(e, "DROP VIEW ");
    emit_cluster(e, tree->name.last);
    emit_text(e, "; ");
    e->result->second_at = e->length;
    for (const struct clustered_table *one = tree->tables; one;
         one = one->next) {
        emit_text(e, "DROP TABLE ");
        emit_text(e, e->schema);
        emit_text(e, ".");
        emit_identifier(e, one->name);
        emit_text(e, "; ");
    }
    emit_text(e, "SELECT CLUSTER_NOT_EMPTY$(name) FROM ");
    emit_text(e, e->schema);
    emit_text(e, ".sqlite_master WHERE type = 'index' AND name LIKE "
                 "'" CLUSTER_INDEX " __ __ %' AND "
                 "substr(name, length('" CLUSTER_INDEX " 00 00 ') + 1) = ");
    name_spell(&e->s->tokens[tree->name.last], name);
    emit_string(e, name, strlen(name));
}

void emit_cluster_definition(struct emitter *e) {
    if (e->s->tree->kind == TREE_CREATE_CLUSTER)
        create_cluster(e);
    else
        drop_cluster(e);
}

// The query at the end fails if the cluster was dropped meanwhile.
void emit_clustered(struct emitter *e) {
    const struct tree *tree = e->s->tree;
    char name[sizeof CLUSTER_INDEX + 6 + LONGEST_NAME + 1];
    const int begins = snprintf(name, sizeof name, CLUSTER_INDEX " %02u %02u ",
                                tree->cluster_number, tree->cluster_key.count);
    name_spell(&e->s->tokens[tree->cluster.last], name + begins);
    emit_text(e, "; ");
    e->result->second_at = e->length;
    emit_text(e, "CREATE INDEX ");
    emit_text(e, e->schema);
    emit_text(e, ".");
    emit_identifier(e, name);
    emit_text(e, " ON ");
    emit_name(e, tree->target->table.last);
    emit_text(e, " (");
    emit_names(e, &tree->cluster_key);
    emit_text(e, "); SELECT 1 FROM ");
    emit_cluster(e, tree->cluster.last);
}
