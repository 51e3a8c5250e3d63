// SPDX-License-Identifier: GPL-2.0-or-later
// The text of an SQL statement in PL/SQL, as it is executed: in upper case,
// with single spaces, and with binds in the place of variables.
#define _GNU_SOURCE
#include "plsql/statement_text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Bytes of a token besides its own: a space, and marks or a number.
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

static const char *end_of(const struct token *token) {
    return token->at + token->length + (token->type == TOKEN_QUOTED ? 1 : 0);
}

// The text between two tokens: a space, and hints.
static void put_gap(struct writer *w, const char *to) {
    const char *position = w->end;
    if (!position || position >= to)
        return;
    *w->to++ = ' ';
    while ((position = memmem(position, (size_t)(to - position), "/*+", 3))) {
        const char *close = memmem(position, (size_t)(to - position), "*/", 2);
        if (!close)
            return;
        put_bytes(w, position, (size_t)(close + 2 - position));
        *w->to++ = ' ';
        position = close + 2;
    }
}

// A bind in the place of the tokens from `first` to `last`.
static void put_bind(struct writer *w, const struct token *first,
                     const struct token *last) {
    const char *begins = first->at - (first->type == TOKEN_BIND ? 1 : 0);
    put_gap(w, begins);
    w->end = end_of(last);
    w->to += snprintf(w->to, ROOM_AROUND - 1, ":B%u", ++w->binds);
}

static void put(struct writer *w, const struct token *token) {
    const bool quoted = token->type == TOKEN_QUOTED;
    const char *begins = token->at - (quoted ? 1 : 0);
    put_gap(w, begins);
    w->end = end_of(token);
    if (token->type == TOKEN_STRING)
        put_between(w, "", token, "");
    else if (quoted)
        put_between(w, "\"", token, "\"");
    else
        for (size_t i = 0; i < token->length; i++)
            *w->to++ = (char)toupper((unsigned char)token->at[i]);
}

char *statement_text(const struct statement *s, const struct reference *first,
                     struct code *(*of_bind)(void *, unsigned), void *data,
                     struct code **bind, size_t *length) {
    size_t room = 1;
    for (unsigned i = 0; i < s->own; i++)
        room += s->tokens[i].length + ROOM_AROUND;
    if (s->own > 0) // hints
        room += (size_t)(end_of(&s->tokens[s->own - 1]) - s->text);
    // Not open_memstream(): its memory is the C library's own, which a
    // sanitizer linked into the executable may not know.
    char *text = malloc(room);
    if (!text)
        return NULL;
    struct writer w = {.to = text};
    for (unsigned i = 0; i < s->own;) {
        const struct reference *reference = first;
        while (reference && reference->from != i)
            reference = reference->next;
        if (reference && reference->code) {
            bind[w.binds] = reference->code;
            put_bind(&w, &s->tokens[i], &s->tokens[reference->to - 1]);
        } else if (!reference && s->tokens[i].type == TOKEN_BIND) {
            bind[w.binds] = of_bind(data, i);
            put_bind(&w, &s->tokens[i], &s->tokens[i]);
        } else if (!reference) {
            put(&w, &s->tokens[i]);
        }
        i = reference ? reference->to : i + 1;
    }
    *w.to = '\0';
    *length = (size_t)(w.to - text);
    return text;
}
