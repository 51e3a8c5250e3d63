// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/emit/emitter.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What a token takes besides its own bytes: a space, and marks or a number.
enum { ROOM_AROUND = 16 };

struct writer {
    char *to;
    const char *end; // of the token before
    unsigned binds;
};

static void put_bytes(struct writer *w, const char *bytes, size_t length) {
    memcpy(w->to, bytes, length);
    w->to += length;
}

static void put_between(struct writer *w, const char *before,
                        const struct token *token, const char *after) {
    put_bytes(w, before, strlen(before));
    put_bytes(w, token->at, token->length);
    put_bytes(w, after, strlen(after));
}

static void put(struct writer *w, const struct token *token) {
    const bool quoted = token->type == TOKEN_QUOTED;
    const char *begins =
        token->at - (quoted || token->type == TOKEN_BIND ? 1 : 0);
    if (w->end && begins > w->end)
        *w->to++ = ' ';
    w->end = token->at + token->length + (quoted ? 1 : 0);
    if (token->type == TOKEN_BIND)
        w->to += snprintf(w->to, ROOM_AROUND - 1, ":B%u", ++w->binds);
    else if (token->type == TOKEN_STRING)
        put_between(w, "", token, "");
    else if (quoted)
        put_between(w, "\"", token, "\"");
    else if (token->type == TOKEN_HINT)
        put_between(w, "/*+", token, "*/");
    else
        for (size_t i = 0; i < token->length; i++)
            *w->to++ = (char)toupper((unsigned char)token->at[i]);
}

char *block_query_text(const struct statement *s, unsigned first, unsigned into,
                       unsigned from, unsigned to) {
    size_t room = 1;
    for (unsigned i = first; i < to; i++)
        room += s->tokens[i].length + ROOM_AROUND;
    // Not open_memstream(): its memory is the C library's own, which a
    // sanitizer linked into the executable may not know.
    char *text = malloc(room);
    if (!text)
        return NULL;
    struct writer w = {.to = text};
    for (unsigned i = first; i < to; i++)
        if (i < into || i >= from)
            put(&w, &s->tokens[i]);
    *w.to = '\0';
    return text;
}
