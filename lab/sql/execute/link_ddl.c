// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/execute/link_ddl.h"

#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "sql/execute/database.h"
#include "sql/emit/link_change.h"
#include "sql/parse/statement.h"
#include "sql/execute/remote.h"
#include "sql/execute/transaction.h"

enum {
    DUPLICATE = 2011,
    NOT_FOUND = 2024,
    NOT_IMPLEMENTED = 3001,
};

bool link_change_execute(struct database *database,
                         const struct link_change *change,
                         struct ora_error *error) {
    struct link_definitions *links = &database->sga->links;
    struct link_definition definition = change->link;
    definition.created = time(NULL);
    const enum link_result result =
        change->drops ? link_definition_drop(links, definition.name)
                      : link_definition_add(links, &definition);
    OPENSSL_cleanse(&definition, sizeof definition);
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
    const char *position = sql, *end = sql + length;
    struct token token = lexer_next(&position, end);
    bool link = false, identified = false;
    if (!token_is(&token, "create"))
        return;
    while (token.type != TOKEN_END && token.type != TOKEN_BAD) {
        link = link || token_is(&token, "link");
        if (link && identified && token_is(&token, "by")) {
            token = lexer_next(&position, end);
            if (token.type != TOKEN_END)
                memset(sql + (token.at - sql), '*', token.length);
        }
        identified = token_is(&token, "identified");
        token = lexer_next(&position, end);
    }
}

bool link_close_session(struct database *database, const char *sql,
                        size_t length, bool *done, struct ora_error *error) {
    static const char *const words[] = {"alter", "session", "close", "database",
                                        "link"};
    const char *position = sql, *end = sql + length;
    char name[LINK_NAME] = "", part[LONGEST_NAME + 1];
    struct token token = lexer_next(&position, end);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!token_is(&token, words[i]))
            return false;
        token = lexer_next(&position, end);
    }
    for (; token.type != TOKEN_END; token = lexer_next(&position, end)) {
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
