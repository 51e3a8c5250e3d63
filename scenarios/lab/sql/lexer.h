// SPDX-License-Identifier: GPL-2.0-or-later
// Oracle SQL as tokens. Comments are dropped, hints are kept.
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
    TOKEN_BAD, // what no token begins with, or an open quote
};

struct token {
    enum token_type type;
    const char *at;
    size_t length;
    uint8_t table; // names.c: whose table it names, if it was looked up
};

// The next token of the text that ends at `end`; moves *from past it.
struct token lexer_next(const char **from, const char *end);
// Compares without regard to case; only words and signs are ever equal.
bool token_is(const struct token *token, const char *word);

#endif
