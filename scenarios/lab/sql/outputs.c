// SPDX-License-Identifier: GPL-2.0-or-later
// The columns of queries in FROM and WITH, by name. SQLite does not report such
// a column's type, and the first row may be NULL in it.
#include <stdlib.h>

#include "sql/source.h"

struct output {
    size_t name; // its token; 0: an unnamed expression
    enum operand_type type;
    unsigned query;
};

size_t outputs_name_of(const struct translator *t, const struct item *item) {
    size_t at = item->tokens_from;
    if (item->star || item->alias)
        return item->alias;
    while (at + 2 < item->tokens_to && source_is_name(t, at) &&
           source_is(t, at + 1, "."))
        at += 2;
    return at + 1 == item->tokens_to && source_is_name(t, at) ? at : 0;
}

static void append(struct translator *t, struct output one) {
    struct output *grown =
        realloc(t->output, (t->outputs + 1) * sizeof *t->output);
    if (!grown) {
        source_refuse(t, 4030, "");
        return;
    }
    t->output = grown;
    t->output[t->outputs++] = one;
}

unsigned outputs_keep(struct translator *t) {
    const unsigned query = ++t->queries_emitted;
    for (size_t i = 0; i < t->items; i++)
        if (t->item[i].star)
            return query; // its columns are unknown
    for (size_t i = 0; i < t->items && !t->result->error; i++)
        append(t, (struct output){.name = outputs_name_of(t, &t->item[i]),
                                  .type = t->item[i].shown,
                                  .query = query});
    return query;
}

void outputs_rename(struct translator *t, unsigned query, size_t open) {
    size_t at = open + 1;
    for (size_t i = 0; i < t->outputs && at < t->close[open]; i++)
        if (t->output[i].query == query) {
            t->output[i].name = at;
            at += 2; // skips the comma
        }
}

void outputs_add_source(struct translator *t, unsigned query) {
    if (t->from_sources < MOST_SOURCES)
        t->from_source[t->from_sources++] = query;
}

static bool is_source(const struct translator *t, unsigned query) {
    for (unsigned i = 0; i < t->from_sources; i++)
        if (t->from_source[i] == query)
            return true;
    return false;
}

static enum operand_type type_of(const struct translator *t, size_t name) {
    enum operand_type type = OPERAND_NULL;
    for (size_t i = 0; i < t->outputs; i++) {
        const struct output *one = &t->output[i];
        if (!is_source(t, one->query) || one->name == 0 ||
            !name_equals(&t->tokens[one->name], &t->tokens[name]))
            continue;
        if (type != OPERAND_NULL && type != one->type)
            return OPERAND_UNKNOWN;
        type = one->type;
    }
    return type;
}

void outputs_resolve_types(struct translator *t) {
    for (size_t i = 0; i < t->items; i++) {
        struct item *item = &t->item[i];
        struct item column = *item;
        column.alias = 0;
        const size_t name = outputs_name_of(t, &column);
        if (name > 0 && item->shown == OPERAND_UNKNOWN)
            item->shown = type_of(t, name);
    }
}
