// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEEPEST = 100,
    MOST_TOKENS = 1 << 19,
    LONGEST_TRANSLATION = 16 << 20, // bytes
    BYTES_PER_UNIT = 64,            // written or moved
    WORK_PER_CHECK = 1 << 20,
    MOST_WORK = 1 << 26, // about a second and a half
};

void source_work(const struct translator *t, size_t units) {
    struct translation *result = t->result;
    const struct catalog *catalog = t->catalog;
    const uint64_t before = result->work;
    result->work += units;
    if (before / WORK_PER_CHECK == result->work / WORK_PER_CHECK ||
        result->error)
        return;
    if (result->work > MOST_WORK) {
        result->error = 3001;
        snprintf(result->about, sizeof result->about, "so complex a statement");
    } else if (catalog && catalog->is_cancelled &&
               catalog->is_cancelled(catalog->data)) {
        result->error = 1013;
    }
}

void source_refuse(struct translator *t, unsigned error, const char *about) {
    if (t->result->error)
        return;
    t->result->error = error;
    snprintf(t->result->about, sizeof t->result->about, "%s", about);
}

void source_refuse_token(struct translator *t, unsigned error, size_t token) {
    char about[64];
    snprintf(about, sizeof about, "%.*s",
             (int)(t->tokens[token].length < 60 ? t->tokens[token].length : 60),
             t->tokens[token].at);
    source_refuse(t, error, about);
}

bool source_is(const struct translator *t, size_t token, const char *word) {
    source_work(t, 1);
    return token < t->count && token_is(&t->tokens[token], word);
}

size_t source_after(const struct translator *t, size_t at) {
    return source_is(t, at, "(") ? t->close[at] + 1 : at + 1;
}

size_t source_find(const struct translator *t, size_t from, size_t to,
                   const char *word) {
    for (; from < to; from = source_after(t, from))
        if (source_is(t, from, word))
            return from;
    return to;
}

void emit_bytes(struct translator *t, const char *text, size_t length) {
    source_work(t, length / BYTES_PER_UNIT);
    if (t->length + length > LONGEST_TRANSLATION)
        source_refuse(t, 3001, "so long a statement");
    if (t->result->error)
        return;
    if (length >= t->room - t->length) {
        size_t room = (t->length + length + 1) * 2;
        char *grown = realloc(t->text, room);
        if (!grown) {
            source_refuse(t, 4030, "");
            return;
        }
        t->text = grown;
        t->room = room;
    }
    memcpy(t->text + t->length, text, length);
    t->length += length;
    t->text[t->length] = '\0';
}

void emit_text(struct translator *t, const char *text) {
    emit_bytes(t, text, strlen(text));
}

void emit_at(struct translator *t, size_t at, const char *text) {
    const size_t length = strlen(text), tail = t->length - at;
    source_work(t, tail / BYTES_PER_UNIT);
    emit_bytes(t, text, length); // makes room
    if (t->result->error)
        return;
    memmove(t->text + at + length, t->text + at, tail);
    memcpy(t->text + at, text, length);
}

void emit_again(struct translator *t, size_t from, size_t to) {
    char *again = malloc(to - from + 1);
    if (again && !t->result->error) {
        memcpy(again, t->text + from, to - from);
        emit_bytes(t, again, to - from);
    } else if (!again) {
        source_refuse(t, 4030, "");
    }
    free(again);
}

// Searches a hint for what changes how the query is run.
static void read_hint(struct translator *t, const struct token *hint) {
    const char *at = hint->at, *end = hint->at + hint->length;
    for (;;) {
        struct token word = lexer_next(&at, end);
        if (word.type == TOKEN_END || word.type == TOKEN_BAD)
            return;
        if (token_is(&word, "ordered") || token_is(&word, "leading"))
            t->ordered = true;
        // The whole statement's result: not that of a subquery.
        if (t->count == 1 && token_is(&word, "result_cache"))
            t->result->result_cache = 1;
        if (t->count == 1 && token_is(&word, "no_result_cache"))
            t->result->result_cache = -1;
    }
}

static bool match_parentheses(struct translator *t) {
    size_t open[DEEPEST], depth = 0;
    for (size_t i = 0; i < t->count; i++) {
        if (source_is(t, i, "(")) {
            if (depth == DEEPEST) {
                source_refuse(t, 913, "");
                return false;
            }
            open[depth++] = i;
        } else if (source_is(t, i, ")")) {
            if (depth == 0) {
                source_refuse(t, 933, "");
                return false;
            }
            t->close[open[--depth]] = i;
        }
    }
    if (depth > 0)
        source_refuse(t, 907, "");
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
                source_refuse(t, 4030, "");
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
            source_refuse(t, *token.at == '\'' || *token.at == '"' ? 1756 : 911,
                          "");
            return false;
        }
        t->tokens[t->count] = token;
        if (token.type == TOKEN_END)
            break;
        t->count++;
    }
    while (t->count > 0 && source_is(t, t->count - 1, ";"))
        t->count--;
    t->close = calloc(t->count + 1, sizeof *t->close);
    if (!t->close) {
        source_refuse(t, 4030, "");
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
    free(t->bind_slot);
}
