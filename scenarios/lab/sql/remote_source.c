// SPDX-License-Identifier: GPL-2.0-or-later
// table@link in a statement. A query whose tables are all at the other end of
// one link goes there as a whole, as in Oracle; of any other, each remote table
// is read by itself.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "process/link_definition.h"
#include "sql/known_columns.h"
#include "sql/remote.h"
#include "sql/source.h"

size_t source_link_name(struct translator *t, size_t at, char *link) {
    char part[LONGEST_NAME + 1];
    size_t length = 0;
    link[0] = '\0';
    for (const char *dot = "";; dot = ".", at++) {
        if (!source_is_name(t, at) || source_is_keyword(t, at)) {
            source_refuse(t, 1729, "");
            return at;
        }
        name_spell(&t->tokens[at++], part);
        length += (size_t)snprintf(link + length, LINK_NAME - length, "%s%s",
                                   dot, part);
        if (length >= LINK_NAME) {
            source_refuse(t, 972, "");
            return at;
        }
        if (!source_is(t, at, "."))
            return at;
    }
}

static void spell_table(const struct translator *t, size_t name, bool owned,
                        char owner[LONGEST_NAME + 1],
                        char table[LONGEST_NAME + 1]) {
    owner[0] = '\0';
    if (owned)
        name_spell(&t->tokens[name - 2], owner);
    name_spell(&t->tokens[name], table);
}

static void read_table(struct translator *t, size_t name, bool owned,
                       take_column_of *take) {
    char link[LINK_NAME], owner[LONGEST_NAME + 1], table[LONGEST_NAME + 1];
    source_link_name(t, name + 2, link);
    spell_table(t, name, owned, owner, table);
    if (t->result->error)
        return;
    const unsigned error =
        t->catalog && t->catalog->remote_table
            ? t->catalog->remote_table(t->catalog->data, link, owner, table,
                                       take, t)
            : 2019;
    if (error)
        source_refuse(t, error, "");
    t->tokens[name].table = TABLE_LOOKED_UP | REMOTE_TABLE;
}

static void take_nothing(void *to, const char *column, const char *declared,
                         bool own) {
    (void)to, (void)column, (void)declared, (void)own;
}

void remote_table_read(struct translator *t, size_t name, bool owned) {
    read_table(t, name, owned, known_columns_take);
}

static bool same_link(struct translator *t, size_t a, size_t b) {
    char first[LINK_NAME], second[LINK_NAME];
    source_link_name(t, a, first);
    source_link_name(t, b, second);
    return strcmp(first, second) == 0;
}

static void emit_doubled(struct translator *t, const char *text) {
    for (; *text; text++)
        emit_bytes(t, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
}

static void emit_identifier(struct translator *t, const char *text) {
    emit_text(t, "\"");
    emit_doubled(t, text);
    emit_text(t, "\"");
}

void emit_remote_table(struct translator *t, size_t name, bool owned,
                       size_t *at, size_t to) {
    char link[LINK_NAME], owner[LONGEST_NAME + 1], table[LONGEST_NAME + 1];
    char known[REMOTE_NAME];
    if (t->tokens[name].table == 0)
        read_table(t, name, owned, take_nothing);
    if (t->result->error)
        return;
    if (t->remote_tables++ == 0)
        t->remote_link = name + 2;
    else if (!same_link(t, t->remote_link, name + 2))
        t->several_links = true;
    *at = source_link_name(t, name + 2, link);
    spell_table(t, name, owned, owner, table);
    remote_table_name(known, link, owner, table);
    emit_text(t, "main.");
    emit_identifier(t, known);
    if (*at < to && source_is_name(t, *at) && !source_is_keyword(t, *at))
        return; // an alias follows
    emit_text(t, " AS ");
    emit_identifier(t, table);
}

// Whether the statement's value depends on where it is computed. Then only its
// tables are read there.
static bool depends_on_site(const struct translator *t) {
    static const char *const words[] = {
        "sysdate",     "systimestamp",      "current_date", "localtimestamp",
        "sys_context", "current_timestamp", "user",         "uid",
        "userenv",     "dbtimezone",        "sys_guid",     "sessiontimezone",
    };
    for (size_t at = 0; at < t->count; at++)
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (source_is(t, at, words[i]))
                return true;
    return false;
}

static const char *token_begin(const struct translator *t, size_t at) {
    const struct token *token = &t->tokens[at];
    return token->at - (token->type == TOKEN_QUOTED);
}

static const char *token_end(const struct translator *t, size_t at) {
    const struct token *token = &t->tokens[at];
    return token->at + token->length + (token->type == TOKEN_QUOTED);
}

// The statement's text without "@link". From malloc; NULL after refusing.
static char *text_without_links(struct translator *t, size_t *length) {
    char link[LINK_NAME];
    const char *from = token_begin(t, 0), *end = token_end(t, t->count - 1);
    char *text = malloc((size_t)(end - from) + 1), *to = text;
    if (!text) {
        source_refuse(t, 4030, "");
        return NULL;
    }
    for (size_t at = 0; at < t->count; at++) {
        if (!source_is(t, at, "@"))
            continue;
        const char *name = token_end(t, at - 1);
        memcpy(to, from, (size_t)(name - from));
        to += name - from;
        at = source_link_name(t, at + 1, link) - 1;
        from = token_end(t, at);
    }
    memcpy(to, from, (size_t)(end - from));
    *length = (size_t)(to - text) + (size_t)(end - from);
    return text;
}

// An item of the select list around the remote query.
static void take_item(void *to, const char *column, const char *declared,
                      bool own) {
    struct translator *t = to;
    struct translation *result = t->result;
    char name[24];
    snprintf(name, sizeof name, "%sC%u AS ", result->columns ? ", " : " ",
             result->columns);
    emit_text(t, name);
    emit_identifier(t, column);
    // The one type that a declaration has no word for.
    result->column[result->columns++] =
        (uint8_t)(*declared ? operand_type_of_declaration(declared, own)
                            : OPERAND_TIMESTAMP_TZ);
}

static void emit_whole(struct translator *t) {
    struct translation *result = t->result;
    char link[LINK_NAME], name[40];
    size_t length = 0;
    char *sql = text_without_links(t, &length);
    if (!sql)
        return;
    source_link_name(t, t->remote_link, link);
    t->length = 0;
    result->columns = 0;
    result->locks = result->sets = false;
    for (unsigned i = 0; i < result->binds; i++)
        result->bind[i].expected = OPERAND_UNKNOWN;
    emit_text(t, "SELECT");
    const unsigned error = t->catalog->remote_query(
        t->catalog->data, link, sql, length, result->binds,
        &result->remote_query, take_item, t);
    free(sql);
    if (error)
        source_refuse(t, error, "");
    snprintf(name, sizeof name, " FROM main.\"REMOTE$%u\"",
             result->remote_query);
    emit_text(t, name);
    for (unsigned i = 0; i < result->binds; i++) {
        snprintf(name, sizeof name, "%s?%u", i ? "," : "(", i + 1);
        emit_text(t, name);
    }
    emit_text(t, result->binds > 0 ? ")" : "");
}

void emit_as_remote_query(struct translator *t) {
    if (t->remote_tables == 0 || t->result->error)
        return;
    if (t->local_tables == 0 && !t->several_links && !depends_on_site(t))
        emit_whole(t);
    else if (t->result->locks)
        source_refuse(t, 2064, "");
}

void remote_target_refuse(struct translator *t) {
    size_t at = source_is(t, 0, "insert") || source_is(t, 1, "from") ? 2 : 1;
    at += source_is(t, at + 1, ".") ? 3 : 1;
    if (at < t->count && source_is(t, at, "@"))
        source_refuse(t, 2064, "");
}
