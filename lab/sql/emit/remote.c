// SPDX-License-Identifier: GPL-2.0-or-later
// A query whose tables are all at the other end of one link goes there as a
// whole, as in Oracle; of any other, each remote table is read by itself.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "process/link_definition.h"
#include "sql/emit/emitter.h"

static bool is_at_one_link(const struct statement *s) {
    const struct tree *tree = s->tree;
    for (const struct source *one = tree->remote; one; one = one->next_remote)
        if (!names_equal(s, one->link, tree->remote->link))
            return false;
    return tree->remote && !tree->local && !tree->bound_to_us;
}

static const char *begin_of(const struct statement *s, unsigned at) {
    const struct token *token = &s->tokens[at];
    return token->at - (token->type == TOKEN_QUOTED);
}

static const char *end_of(const struct statement *s, unsigned at) {
    const struct token *token = &s->tokens[at];
    return token->at + token->length + (token->type == TOKEN_QUOTED);
}

// The statement's text without each "@link". From malloc; NULL without memory.
static char *text_without_links(const struct statement *s, size_t *length) {
    const char *from = begin_of(s, 0), *end = end_of(s, s->count - 1);
    char *text = malloc((size_t)(end - from) + 1), *to = text;
    const struct source *source = s->tree->remote;
    for (; text && source; source = source->next_remote) {
        const size_t kept = (size_t)(end_of(s, source->table.last) - from);
        memcpy(to, from, kept);
        to += kept;
        from = end_of(s, source->link.last);
    }
    if (!text)
        return NULL;
    memcpy(to, from, (size_t)(end - from));
    *length = (size_t)(to - text) + (size_t)(end - from);
    return text;
}

// An item of the select list around the remote query.
static void take_item(void *to, const char *column, const char *declared,
                      bool own) {
    struct emitter *e = to;
    struct translation *result = e->result;
    char name[24];
    if (result->columns == MOST_COLUMNS) {
        statement_refuse(e->s, 1792, 0, "");
        return;
    }
    snprintf(name, sizeof name, "%sC%u AS ", result->columns ? ", " : " ",
             result->columns);
    emit_text(e, name);
    emit_identifier(e, column);
    // The one type that a declaration has no word for.
    result->column[result->columns++] =
        (uint8_t)(*declared ? operand_type_of_declaration(declared, own)
                            : OPERAND_TIMESTAMP_TZ);
}

static void emit_whole(struct emitter *e) {
    struct statement *s = e->s;
    struct translation *result = e->result;
    char link[LINK_NAME], name[40];
    size_t length = 0;
    char *sql = text_without_links(s, &length);
    if (!sql) {
        statement_refuse(s, 4030, 0, "");
        return;
    }
    statement_spell(s, s->tree->remote->link.first, s->tree->remote->link.last,
                    link, sizeof link);
    for (unsigned i = 0; i < s->binds; i++)
        s->bind[i].expected = OPERAND_UNKNOWN;
    emit_text(e, "SELECT");
    const unsigned error =
        e->catalog->remote_query(e->catalog->data, link, sql, length, s->binds,
                                 &result->remote_query, take_item, e);
    free(sql);
    if (error)
        statement_refuse(s, error, 0, "");
    snprintf(name, sizeof name, " FROM main.\"@%u\"", result->remote_query);
    emit_text(e, name);
    for (unsigned i = 0; i < s->binds; i++) {
        snprintf(name, sizeof name, "%s?%u", i ? "," : "(", i + 1);
        emit_text(e, name);
    }
    emit_text(e, s->binds > 0 ? ")" : "");
}

bool emit_remote_query(struct emitter *e) {
    const struct statement *s = e->s;
    if (is_at_one_link(s)) {
        emit_whole(e);
        return true;
    }
    if (s->tree->remote && s->tree->locks)
        statement_refuse(e->s, 2064, 0, "");
    return false;
}
