// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/parse/statement.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum {
    WORK_PER_CHECK = 1 << 20,
    MOST_WORK = 1 << 26, // about a second and a half
};

void statement_refuse(struct statement *s, unsigned error, unsigned token,
                      const char *about) {
    if (s->error)
        return;
    s->error = error;
    s->error_at = token;
    snprintf(s->about, sizeof s->about, "%s", about);
}

void statement_refuse_token(struct statement *s, unsigned error,
                            unsigned token) {
    char about[64];
    const struct token *candidate = &s->tokens[token];
    snprintf(about, sizeof about, "%.*s",
             (int)(candidate->length < 60 ? candidate->length : 60),
             candidate->at);
    statement_refuse(s, error, token, about);
}

void statement_refuse_name(struct statement *s, unsigned error, unsigned first,
                           unsigned last) {
    char about[sizeof s->about];
    size_t length = 0;
    for (unsigned i = first; i <= last; i += 2) {
        const struct token *part = &s->tokens[i];
        for (const char *c = i > first ? "\".\"" : ""; *c; c++)
            if (length + 1 < sizeof about)
                about[length++] = *c;
        for (size_t j = 0; j < part->length; j++)
            if (length + 1 < sizeof about)
                about[length++] = name_letter(part, j);
    }
    about[length] = '\0';
    statement_refuse(s, error, first, about);
}

void statement_place(const struct statement *s, unsigned token, unsigned *line,
                     unsigned *column) {
    const char *to = s->tokens[token < s->own ? token : s->own].at;
    *line = *column = 1;
    for (const char *c = s->text; c < to; c++)
        if (*c == '\n') {
            ++*line;
            *column = 1;
        } else if ((*c & 0xc0) != 0x80) {
            ++*column;
        }
}

void statement_refuse_plsql(struct statement *s, unsigned token,
                            const char *pls) {
    char about[sizeof s->about];
    unsigned line, column;
    statement_place(s, token, &line, &column);
    snprintf(about, sizeof about, "line %u, column %u:\n%s", line, column, pls);
    statement_refuse(s, 6550, token, about);
}

void statement_work(struct statement *s, size_t units) {
    const uint64_t previous_work = s->work;
    s->work += units;
    if (previous_work / WORK_PER_CHECK == s->work / WORK_PER_CHECK || s->error)
        return;
    if (s->work > MOST_WORK)
        statement_refuse(s, 3001, 0, "so complex a statement");
    else if (s->is_cancelled && s->is_cancelled(s->data))
        statement_refuse(s, 1013, 0, "");
}

void *statement_take(struct statement *s, size_t bytes) {
    void *memory = tree_memory_take(&s->memory, bytes);
    if (memory)
        return memory;
    statement_refuse(s, 4030, 0, "");
    return memset(s->reserve, 0, sizeof s->reserve);
}

bool statement_is(const struct statement *s, unsigned token, const char *word) {
    return token < s->count && token_is(&s->tokens[token], word);
}

char name_letter(const struct token *name, size_t i) {
    return name->type == TOKEN_QUOTED
               ? name->at[i]
               : (char)toupper((unsigned char)name->at[i]);
}

void statement_spell(struct statement *s, unsigned first, unsigned last,
                     char *to, size_t size) {
    size_t length = 0;
    for (unsigned i = first; i <= last; i += 2) {
        const struct token *part = &s->tokens[i];
        if (length + part->length + 2 > size) {
            statement_refuse(s, 972, first, "");
            break;
        }
        if (i > first)
            to[length++] = '.';
        for (size_t j = 0; j < part->length; j++)
            to[length++] = name_letter(part, j);
    }
    to[length] = '\0';
}

bool name_spells(const struct token *token, const char *name) {
    if (strlen(name) != token->length)
        return false;
    for (size_t i = 0; i < token->length; i++)
        if (name_letter(token, i) != name[i])
            return false;
    return true;
}

bool name_equals(const struct token *a, const struct token *b) {
    if (a->length != b->length)
        return false;
    for (size_t i = 0; i < a->length; i++)
        if (name_letter(a, i) != name_letter(b, i))
            return false;
    return true;
}

void name_spell(const struct token *token, char to[LONGEST_NAME + 1]) {
    size_t n = token->length < LONGEST_NAME ? token->length : LONGEST_NAME;
    for (size_t i = 0; i < n; i++)
        to[i] = name_letter(token, i);
    to[n] = '\0';
}
