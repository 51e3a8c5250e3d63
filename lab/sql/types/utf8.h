// SPDX-License-Identifier: GPL-2.0-or-later
// Characters of UTF-8. Each byte of an invalid sequence counts as a character.
#ifndef ORALAB_UTF8_H
#define ORALAB_UTF8_H

#include <stddef.h>
#include <stdint.h>

// The size in bytes of the character at `at`; 0 at `end`.
size_t utf8_bytes(const char *at, const char *end);
size_t utf8_length(const char *at, const char *end);
// The position after `count` characters, at most `end`.
const char *utf8_after(const char *at, const char *end, int64_t count);
uint32_t utf8_code(const char *at, size_t bytes);
// How many bytes from the beginning are whole characters, of the shortest form:
// all of them, or up to the first that begins none.
size_t utf8_valid(const char *text, size_t length);
// Puts a question mark in the place of each byte that is part of no character.
void utf8_clean(char *text, size_t length);
// Writes at most 4 bytes and returns their number.
size_t utf8_write(uint32_t code, char *to);

#endif
