// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "sql/parse/lexer.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static bool begins_name(char c) {
    return isalpha((unsigned char)c) || (unsigned char)c >= 0x80;
}

static bool continues_name(char c) {
    return begins_name(c) || isdigit((unsigned char)c) || c == '_' ||
           c == '$' || c == '#';
}

static const char *name_end(const char *position, const char *end) {
    while (position < end && continues_name(*position))
        position++;
    return position;
}

static struct token made(enum token_type type, const char *from,
                         const char *to) {
    return (struct token){
        .type = type, .at = from, .length = (size_t)(to - from)};
}

static const char *skip_space(const char *position, const char *end) {
    while (position < end &&
           (isspace((unsigned char)*position) || *position == '\0'))
        position++;
    return position;
}

// Skips a comment at *from. A hint is returned as a token.
static bool comment(const char **from, const char *end, struct token *token) {
    const char *position = *from, *close;
    size_t mark;
    if (end - position >= 2 && position[0] == '-' && position[1] == '-') {
        close = memchr(position, '\n', (size_t)(end - position));
        close = close ? close : end;
        mark = 0;
    } else if (end - position >= 2 && position[0] == '/' &&
               position[1] == '*') {
        close = memmem(position + 2, (size_t)(end - position - 2), "*/", 2);
        if (!close) {
            *token = made(TOKEN_BAD, position, end);
            *from = end;
            return true;
        }
        mark = 2;
    } else {
        return false;
    }
    bool hint = position + 2 < close && position[2] == '+';
    *token = hint ? made(TOKEN_HINT, position + 3, close)
                  : made(TOKEN_END, position, position);
    *from = close + mark;
    return true;
}

static struct token number(const char **from, const char *end) {
    const char *position = *from;
    while (position < end && isdigit((unsigned char)*position))
        position++;
    if (end - position >= 2 && position[0] == '.' && position[1] == '.')
        ; // a range: 1..10
    else if (position < end && *position == '.')
        position++;
    while (position < end && isdigit((unsigned char)*position))
        position++;
    if (position < end && (*position == 'e' || *position == 'E')) {
        const char *power = position + 1;
        if (power < end && (*power == '+' || *power == '-'))
            power++;
        if (power < end && isdigit((unsigned char)*power)) {
            while (power < end && isdigit((unsigned char)*power))
                power++;
            position = power;
        }
    }
    // 1d and 1f are BINARY_DOUBLE and BINARY_FLOAT.
    const bool letter =
        position < end && (*position == 'd' || *position == 'D' ||
                           *position == 'f' || *position == 'F');
    if (letter && (position + 1 == end || !continues_name(position[1])))
        position++;
    struct token token = made(TOKEN_NUMBER, *from, position);
    *from = position;
    return token;
}

static struct token quoted(const char **from, const char *end, char quote) {
    const char *start = *from;
    for (const char *at = start + 1; at < end; at++) {
        if (*at != quote)
            continue;
        if (quote == '\'' && at + 1 < end && at[1] == quote) {
            at++;
            continue;
        }
        *from = at + 1;
        return quote == '"' ? made(TOKEN_QUOTED, start + 1, at)
                            : made(TOKEN_STRING, start, at + 1);
    }
    *from = end;
    return made(TOKEN_BAD, start, end);
}

// The bytes of the UTF-8 character at the place.
static size_t character_length(const char *at, const char *end) {
    size_t length = 1;
    while (at + length < end && ((unsigned char)at[length] & 0xc0) == 0x80)
        length++;
    return length;
}

// How many letters stand before the quote of N'text', Q'[text]' or NQ'[text]'.
static size_t prefix_length(const char *at, const char *end) {
    const char letter = (char)tolower((unsigned char)*at);
    if (letter != 'q' && letter != 'n')
        return 0;
    const size_t letters =
        letter == 'n' && at + 1 < end && tolower((unsigned char)at[1]) == 'q'
            ? 2
            : 1;
    return at + letters < end && at[letters] == '\'' ? letters : 0;
}

static const char OPENING[] = "[{(<", CLOSING[] = "]})>";

// How long the mark of q'[text]' is; text that is no UTF-8 may follow a
// bracket.
static size_t mark_length(const char *at, const char *end) {
    return strchr(OPENING, *at) ? 1 : character_length(at, end);
}

// q'[text]': its end, which for a bracket is the closing one, comes before its
// closing quote. A blank begins none.
static struct token quoted_by_choice(const char **from, const char *end,
                                     size_t prefix) {
    const char *start = *from, *mark = start + prefix + 1;
    *from = end;
    if (mark == end || strchr(" \t\r\n", *mark))
        return made(TOKEN_BAD, start, end);
    const size_t length = mark_length(mark, end);
    const char *bracket = strchr(OPENING, *mark);
    const char *close = bracket ? &CLOSING[bracket - OPENING] : mark;
    for (const char *at = mark + length; end - at > (ptrdiff_t)length; at++)
        if (memcmp(at, close, length) == 0 && at[length] == '\'') {
            *from = at + length + 1;
            return made(TOKEN_STRING, start, *from);
        }
    return made(TOKEN_BAD, start, end);
}

// A literal with letters before its quote.
static struct token prefixed(const char **from, const char *end,
                             size_t prefix) {
    const char *start = *from, *text = start + prefix;
    if (tolower((unsigned char)start[prefix - 1]) == 'q')
        return quoted_by_choice(from, end, prefix);
    struct token token = quoted(&text, end, '\'');
    *from = text;
    token.at = start;
    token.length += prefix;
    return token;
}

struct literal literal_of(const struct token *token) {
    const char *end = token->at + token->length - 1, *at = token->at;
    struct literal literal = {.doubled = true};
    for (; *at != '\''; at++) {
        literal.national |= tolower((unsigned char)*at) == 'n';
        literal.doubled &= tolower((unsigned char)*at) != 'q';
    }
    at++;
    if (!literal.doubled) {
        const size_t mark = mark_length(at, end);
        at += mark;
        end -= mark;
    }
    literal.at = at;
    literal.length = (size_t)(end - at);
    return literal;
}

static struct token sign(const char **from, const char *end) {
    static const char *const twos[] = {
        "||", "<=", ">=", "<>", "!=", "^=", ":=", "=>", "**", "..", "<<", ">>"};
    const char *position = *from;
    for (size_t i = 0; i < sizeof twos / sizeof *twos; i++)
        if (end - position >= 2 && memcmp(position, twos[i], 2) == 0) {
            *from = position + 2;
            return made(TOKEN_SIGN, position, position + 2);
        }
    *from = position + 1;
    return made(strchr("()+-*/,.;=<>@%[]|", *position) ? TOKEN_SIGN : TOKEN_BAD,
                position, position + 1);
}

struct token lexer_next(const char **from, const char *end) {
    for (;;) {
        const char *position = *from = skip_space(*from, end);
        struct token token;
        if (position == end)
            return made(TOKEN_END, position, position);
        if (comment(from, end, &token)) {
            if (token.type == TOKEN_END)
                continue;
            return token;
        }
        if (begins_name(*position)) {
            const size_t prefix = prefix_length(position, end);
            if (prefix > 0)
                return prefixed(from, end, prefix);
            *from = name_end(position, end);
            return made(TOKEN_WORD, position, *from);
        }
        if (isdigit((unsigned char)*position) ||
            (*position == '.' && position + 1 < end &&
             isdigit((unsigned char)position[1])))
            return number(from, end);
        if (*position == '\'' || *position == '"')
            return quoted(from, end, *position);
        if (*position == ':') {
            const char *name = skip_space(position + 1, end);
            if (name < end && *name != '=' && continues_name(*name)) {
                *from = name_end(name, end);
                return made(TOKEN_BIND, name, *from);
            }
        }
        return sign(from, end);
    }
}

bool token_is(const struct token *token, const char *word) {
    return (token->type == TOKEN_WORD || token->type == TOKEN_SIGN) &&
           strlen(word) == token->length &&
           strncasecmp(token->at, word, token->length) == 0;
}
