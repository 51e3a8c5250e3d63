// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/link_ddl.h"

#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sql/database.h"
#include "sql/known_columns.h"
#include "sql/lexer.h"
#include "sql/remote.h"
#include "sql/source.h"
#include "sql/transaction.h"

enum {
    DUPLICATE = 2011,
    NOT_FOUND = 2024,
    NOT_IMPLEMENTED = 3001,
    TOO_LONG = 972,
    NO_PASSWORD = 988,
    MISSING_OPTION = 922,
    MISSING_KEYWORD = 905,
    NOT_ENDED = 933,
};

static size_t take_user(struct translator *t, size_t at,
                        struct link_definition *link) {
    char user[LONGEST_NAME + 1];
    if (!source_is_name(t, at) || source_is(t, at, "identified")) {
        source_refuse(t, 987, "");
        return at;
    }
    name_spell(&t->tokens[at], user);
    snprintf(link->user, sizeof link->user, "%s", user);
    return at + 1;
}

// IDENTIFIED BY password, whose case counts.
static size_t take_password(struct translator *t, size_t at, char *to) {
    const struct token *token = &t->tokens[at + 2];
    if (!source_is(t, at, "identified") || !source_is(t, at + 1, "by")) {
        source_refuse(t, MISSING_KEYWORD, "");
        return at;
    }
    if (!source_is_name(t, at + 2) || token->length >= LINK_SECRET) {
        source_refuse(t, token->length >= LINK_SECRET ? TOO_LONG : NO_PASSWORD,
                      "");
        return at;
    }
    memcpy(to, token->at, token->length);
    to[token->length] = '\0';
    return at + 3;
}

// The string after USING, with its quotes halved.
static size_t take_host(struct translator *t, size_t at,
                        struct link_definition *link) {
    const struct token *token = &t->tokens[at + 1];
    size_t n = 0;
    if (!source_is(t, at, "using") || token->type != TOKEN_STRING) {
        source_refuse(t, MISSING_OPTION, "");
        return at;
    }
    for (size_t i = 1; i + 1 < token->length; i++) {
        i += token->at[i] == '\'';
        if (n + 1 == sizeof link->host) {
            source_refuse(t, TOO_LONG, "");
            return at;
        }
        link->host[n++] = token->at[i];
    }
    link->host[n] = '\0';
    return at + 2;
}

static void take_create(struct translator *t, size_t at,
                        struct link_definition *link) {
    char unused[LINK_SECRET];
    at = source_link_name(t, at, link->name);
    if (!source_is(t, at, "connect") || !source_is(t, at + 1, "to") ||
        source_is(t, at + 2, "current_user")) {
        source_refuse(t, NOT_IMPLEMENTED, "a link without a password");
        return;
    }
    at = take_user(t, at + 2, link);
    at = take_password(t, at, link->password);
    // Sessions share no connection here, whoever may use it.
    if (link->shared && source_is(t, at, "authenticated") &&
        source_is(t, at + 1, "by")) {
        at = take_password(t, at + 3, unused);
        OPENSSL_cleanse(unused, sizeof unused);
    }
    at = take_host(t, at, link);
    if (at < t->count)
        source_refuse(t, NOT_ENDED, "");
}

bool take_link_ddl(struct translator *t) {
    const bool drops = source_is(t, 0, "drop");
    size_t at = 1;
    if (!drops && !source_is(t, 0, "create"))
        return false;
    const bool shared = !drops && source_is(t, at, "shared");
    at += shared;
    const bool is_public = source_is(t, at, "public");
    at += is_public;
    if (!source_is(t, at, "database") || !source_is(t, at + 1, "link"))
        return false;
    struct link_change *change = calloc(1, sizeof *change);
    t->result->link = change;
    if (!change) {
        source_refuse(t, 4030, "");
        return true;
    }
    change->drops = drops;
    change->link.shared = shared;
    if (is_public)
        source_refuse(t, NOT_IMPLEMENTED, "a public database link");
    else if (!drops)
        take_create(t, at + 2, &change->link);
    else if (source_link_name(t, at + 2, change->link.name) < t->count)
        source_refuse(t, NOT_ENDED, "");
    return true;
}

void link_change_free(struct link_change *change) {
    if (change)
        OPENSSL_cleanse(change, sizeof *change);
    free(change);
}

bool link_change_execute(struct database *database,
                         const struct link_change *change,
                         struct ora_error *error) {
    struct link_definitions *links = &database->sga->links;
    struct link_definition made = change->link;
    made.created = time(NULL);
    const enum link_result result = change->drops
                                        ? link_definition_drop(links, made.name)
                                        : link_definition_add(links, &made);
    OPENSSL_cleanse(&made, sizeof made);
    switch (result) {
    case LINK_EXISTS:
        ora_error_set(error, DUPLICATE, "");
        break;
    case LINK_MISSING:
        ora_error_set(error, NOT_FOUND, "");
        break;
    case LINK_NO_ROOM:
        ora_error_set(error, NOT_IMPLEMENTED, "more than 64 database links");
        break;
    default:
        break;
    }
    return result == LINK_DONE;
}

void link_text_hide(char *sql, size_t length) {
    const char *at = sql, *end = sql + length;
    struct token token = lexer_next(&at, end);
    bool link = false, identified = false;
    if (!token_is(&token, "create"))
        return;
    while (token.type != TOKEN_END && token.type != TOKEN_BAD) {
        link = link || token_is(&token, "link");
        if (link && identified && token_is(&token, "by")) {
            token = lexer_next(&at, end);
            if (token.type != TOKEN_END)
                memset(sql + (token.at - sql), '*', token.length);
        }
        identified = token_is(&token, "identified");
        token = lexer_next(&at, end);
    }
}

bool link_close_session(struct database *database, const char *sql,
                        size_t length, bool *done, struct ora_error *error) {
    static const char *const words[] = {"alter", "session", "close", "database",
                                        "link"};
    const char *at = sql, *end = sql + length;
    char name[LINK_NAME] = "", part[LONGEST_NAME + 1];
    struct token token = lexer_next(&at, end);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!token_is(&token, words[i]))
            return false;
        token = lexer_next(&at, end);
    }
    for (; token.type != TOKEN_END; token = lexer_next(&at, end)) {
        if (token.type == TOKEN_WORD || token.type == TOKEN_QUOTED)
            name_spell(&token, part);
        else
            snprintf(part, sizeof part, "%s", token_is(&token, ".") ? "." : "");
        if (strlen(name) + strlen(part) < sizeof name)
            strcat(name, part);
    }
    if (database->remote_calls) {
        *done =
            database->remote_calls->close_link(database->remote, name, error);
    } else {
        ora_error_set(error, 2081, "");
        *done = false;
    }
    return true;
}
