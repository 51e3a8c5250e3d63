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
    TOKEN_STRING, // 'text' or q'[text]', as it was written; see literal_of()
    TOKEN_NUMBER, // with the letter of a BINARY_DOUBLE or BINARY_FLOAT
    TOKEN_BIND,   // :name, without the colon
    TOKEN_HINT,   // /*+ text */, only the text
    TOKEN_SIGN,
    TOKEN_ATTRIBUTE, // %name of PL/SQL, without the sign; see parse.c
    TOKEN_BAD,       // an unexpected character, or an unclosed quote
};

struct token {
    enum token_type type;
    const char *at;
    size_t length;
    uint16_t code; // in the grammar; see parse/words.h
    uint32_t end;  // of an SQL statement in a block: the token behind it
};

// Returns the next token of the text that ends at `end`, and moves *from past
// it.
struct token lexer_next(const char **from, const char *end);
// The text of a TOKEN_STRING, in which a quote may be written as two.
struct literal {
    const char *at;
    size_t length;
    bool doubled;  // its quotes are two; those of q'[text]' are not
    bool national; // N'text' or NQ'[text]'
};
struct literal literal_of(const struct token *token);

// Compares ignoring case. Only words and signs can be equal.
bool token_is(const struct token *token, const char *word);

#endif
