// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/block_query.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

struct writer {
    FILE *to;
    const char *end; // of the token before
    unsigned binds;
};

static void upper(struct writer *w, const struct token *token) {
    for (size_t i = 0; i < token->length; i++)
        putc_unlocked(toupper((unsigned char)token->at[i]), w->to);
}

static void put(struct writer *w, const struct token *token) {
    const int length = (int)token->length;
    const bool quoted = token->type == TOKEN_QUOTED;
    const char *begins =
        token->at - (quoted || token->type == TOKEN_BIND ? 1 : 0);
    if (w->end && begins > w->end)
        putc_unlocked(' ', w->to);
    w->end = token->at + token->length + (quoted ? 1 : 0);
    if (token->type == TOKEN_BIND)
        fprintf(w->to, ":B%u", ++w->binds);
    else if (token->type == TOKEN_STRING)
        fprintf(w->to, "%.*s", length, token->at);
    else if (quoted)
        fprintf(w->to, "\"%.*s\"", length, token->at);
    else if (token->type == TOKEN_HINT)
        fprintf(w->to, "/*+%.*s*/", length, token->at);
    else
        upper(w, token);
}

char *block_query_text(const struct translator *t, size_t first, size_t into,
                       size_t from, size_t to) {
    char *text = NULL;
    size_t length;
    struct writer w = {.to = open_memstream(&text, &length)};
    if (!w.to)
        return NULL;
    for (size_t i = first; i < to; i++)
        if (i < into || i >= from)
            put(&w, &t->tokens[i]);
    return fclose(w.to) == 0 ? text : NULL;
}
