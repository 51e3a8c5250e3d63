// SPDX-License-Identifier: GPL-2.0-or-later
// The tokens of Oracle SQL. Comments are dropped, hints are kept.
#ifndef ORALAB_LEXER_H
#define ORALAB_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum token_type {
    TOKEN_END,
    TOKEN_WORD,   // keyword or unquoted name
    TOKEN_QUOTED, // "name", without the quotes
    TOKEN_STRING, // 'text', with its quotes
    TOKEN_NUMBER,
    TOKEN_BIND, // :name, without the colon
    TOKEN_HINT, // /*+ text */, only the text
    TOKEN_SIGN,
    TOKEN_BAD, // an unexpected character, or an unclosed quote
};

struct token {
    enum token_type type;
    const char *at;
    size_t length;
    // TABLE_LOOKED_UP | enum table_owner of the table that it names; 0: not
    // looked up
    uint8_t table;
    uint32_t placeholder; // of a bind, from 1; 0: see placeholders.c
};

// Returns the next token of the text that ends at `end`, and moves *from past
// it.
struct token lexer_next(const char **from, const char *end);
// Compares ignoring case. Only words and signs can be equal.
bool token_is(const struct token *token, const char *word);

#endif
