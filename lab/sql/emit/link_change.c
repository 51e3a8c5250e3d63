// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/emit/link_change.h"

#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

#include "sql/emit/emitter.h"

// A password's case counts, in quotes or not.
static void take_password(struct emitter *e, unsigned at, char *to) {
    const struct token *token = &e->s->tokens[at];
    if (token->length >= LINK_SECRET) {
        statement_refuse(e->s, 972, at, "");
        return;
    }
    memcpy(to, token->at, token->length);
    to[token->length] = '\0';
}

// A string, with its quotes halved.
static void take_host(struct emitter *e, unsigned at, char *to) {
    const struct literal text = literal_of(&e->s->tokens[at]);
    size_t n = 0;
    for (size_t i = 0; i < text.length; i++) {
        i += text.doubled && text.at[i] == '\'';
        if (n + 1 == LINK_HOST) {
            statement_refuse(e->s, 972, at, "");
            break;
        }
        to[n++] = text.at[i];
    }
    to[n] = '\0';
}

void take_link(struct emitter *e) {
    struct statement *s = e->s;
    const struct link_spec *spec = &s->tree->link;
    struct link_change *change = calloc(1, sizeof *change);
    e->result->link = change;
    if (!change) {
        statement_refuse(s, 4030, 0, "");
        return;
    }
    change->drops = s->tree->kind == TREE_DROP_LINK;
    statement_spell(s, spec->name.first, spec->name.last, change->link.name,
                    sizeof change->link.name);
    if (change->drops)
        return;
    change->link.shared = spec->shared;
    statement_spell(s, spec->user, spec->user, change->link.user,
                    sizeof change->link.user);
    take_password(e, spec->password, change->link.password);
    take_host(e, spec->host, change->link.host);
}

void link_change_free(struct link_change *change) {
    if (change)
        OPENSSL_cleanse(change, sizeof *change);
    free(change);
}
