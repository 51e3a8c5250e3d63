// SPDX-License-Identifier: GPL-2.0-or-later
// Characters of UTF-8. What is none counts as a character for each byte.
#ifndef ORALAB_UTF8_H
#define ORALAB_UTF8_H

#include <stddef.h>
#include <stdint.h>

// How many bytes the character at `at` has; 0 at `end`.
size_t utf8_bytes(const char *at, const char *end);
size_t utf8_length(const char *at, const char *end);
// Where the character is that comes after `count` others, at most `end`.
const char *utf8_after(const char *at, const char *end, int64_t count);
uint32_t utf8_code(const char *at, size_t bytes);
// Writes at most 4 bytes, and returns how many.
size_t utf8_write(uint32_t code, char *to);

#endif
