// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 100, MOST_TOKENS = 200000 };

void refuse(struct translator *t, unsigned error, const char *about) {
    if (t->result->error)
        return;
    t->result->error = error;
    snprintf(t->result->about, sizeof t->result->about, "%s", about);
}

void refuse_token(struct translator *t, unsigned error, size_t token) {
    char about[64];
    snprintf(about, sizeof about, "%.*s",
             (int)(t->tokens[token].length < 60 ? t->tokens[token].length : 60),
             t->tokens[token].at);
    refuse(t, error, about);
}

bool is(const struct translator *t, size_t token, const char *word) {
    return token < t->count && token_is(&t->tokens[token], word);
}

size_t past(const struct translator *t, size_t at) {
    return is(t, at, "(") ? t->close[at] + 1 : at + 1;
}

size_t find(const struct translator *t, size_t from, size_t to,
            const char *word) {
    for (; from < to; from = past(t, from))
        if (is(t, from, word))
            return from;
    return to;
}

void say_part(struct translator *t, const char *text, size_t length) {
    if (t->result->error)
        return;
    if (length >= t->room - t->length) {
        size_t room = (t->length + length + 1) * 2;
        char *grown = realloc(t->text, room);
        if (!grown) {
            refuse(t, 4030, "");
            return;
        }
        t->text = grown;
        t->room = room;
    }
    memcpy(t->text + t->length, text, length);
    t->length += length;
    t->text[t->length] = '\0';
}

void say(struct translator *t, const char *text) {
    say_part(t, text, strlen(text));
}

void insert(struct translator *t, size_t at, const char *text) {
    const size_t length = strlen(text), tail = t->length - at;
    say_part(t, text, length); // makes room
    if (t->result->error)
        return;
    memmove(t->text + at + length, t->text + at, tail);
    memcpy(t->text + at, text, length);
}

void say_again(struct translator *t, size_t from, size_t to) {
    char *again = malloc(to - from + 1);
    if (again && !t->result->error) {
        memcpy(again, t->text + from, to - from);
        say_part(t, again, to - from);
    } else if (!again) {
        refuse(t, 4030, "");
    }
    free(again);
}

// Looks into a hint for the one that changes how SQLite must run the query.
static void read_hint(struct translator *t, const struct token *hint) {
    const char *at = hint->at, *end = hint->at + hint->length;
    for (;;) {
        struct token word = lexer_next(&at, end);
        if (word.type == TOKEN_END || word.type == TOKEN_BAD)
            return;
        if (token_is(&word, "ordered") || token_is(&word, "leading"))
            t->ordered = true;
    }
}

static bool match_parentheses(struct translator *t) {
    size_t open[DEEPEST], depth = 0;
    for (size_t i = 0; i < t->count; i++) {
        if (is(t, i, "(")) {
            if (depth == DEEPEST) {
                refuse(t, 913, "");
                return false;
            }
            open[depth++] = i;
        } else if (is(t, i, ")")) {
            if (depth == 0) {
                refuse(t, 933, "");
                return false;
            }
            t->close[open[--depth]] = i;
        }
    }
    if (depth > 0)
        refuse(t, 907, "");
    return depth == 0;
}

bool source_read(struct translator *t, const char *oracle, size_t length) {
    const char *at = oracle, *end = oracle + length;
    size_t room = 0;
    for (;;) {
        if (t->count + 1 >= room) {
            room = room ? room * 2 : 64;
            struct token *grown =
                room > MOST_TOKENS
                    ? NULL
                    : realloc(t->tokens, room * sizeof *t->tokens);
            if (!grown) {
                refuse(t, 4030, "");
                return false;
            }
            t->tokens = grown;
        }
        struct token token = lexer_next(&at, end);
        if (token.type == TOKEN_HINT) {
            read_hint(t, &token);
            continue;
        }
        if (token.type == TOKEN_BAD) {
            refuse(t, *token.at == '\'' || *token.at == '"' ? 1756 : 911, "");
            return false;
        }
        t->tokens[t->count] = token;
        if (token.type == TOKEN_END)
            break;
        t->count++;
    }
    while (t->count > 0 && is(t, t->count - 1, ";"))
        t->count--;
    t->close = calloc(t->count + 1, sizeof *t->close);
    if (!t->close) {
        refuse(t, 4030, "");
        return false;
    }
    return match_parentheses(t);
}

void source_free(struct translator *t) {
    free(t->tokens);
    free(t->close);
    free(t->column);
    free(t->item);
    free(t->output);
}
