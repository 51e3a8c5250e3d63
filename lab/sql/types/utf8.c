// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/types/utf8.h"

#include <stdbool.h>

size_t utf8_bytes(const char *at, const char *end) {
    if (at >= end)
        return 0;
    const unsigned char first = (unsigned char)*at;
    size_t bytes = first < 0xc2   ? 1
                   : first < 0xe0 ? 2
                   : first < 0xf0 ? 3
                   : first < 0xf5 ? 4
                                  : 1;
    if ((size_t)(end - at) < bytes)
        return 1;
    for (size_t i = 1; i < bytes; i++)
        if (((unsigned char)at[i] & 0xc0) != 0x80)
            return 1;
    return bytes;
}

size_t utf8_length(const char *at, const char *end) {
    size_t n = 0;
    for (; at < end; at += utf8_bytes(at, end))
        n++;
    return n;
}

const char *utf8_after(const char *index, const char *end, int64_t count) {
    for (; index < end && count > 0; count--)
        index += utf8_bytes(index, end);
    return index;
}

uint32_t utf8_code(const char *at, size_t bytes) {
    const unsigned char *b = (const unsigned char *)at;
    if (bytes < 2)
        return b[0];
    uint32_t code = b[0] & (0xffu >> (bytes + 1));
    for (size_t i = 1; i < bytes; i++)
        code = code << 6 | (b[i] & 0x3f);
    return code;
}

size_t utf8_write(uint32_t code, char *to) {
    if (code < 0x80) {
        to[0] = (char)code;
        return 1;
    }
    size_t bytes = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = bytes - 1; i > 0; i--, code >>= 6)
        to[i] = (char)(0x80 | (code & 0x3f));
    to[0] = (char)((0xf00 >> bytes) | code);
    return bytes;
}

// The bytes of the character at `at`, or 0 if it is none.
static size_t whole(const uint8_t *at, size_t left) {
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const size_t bytes = at[0] < 0x80             ? 1
                         : (at[0] & 0xe0) == 0xc0 ? 2
                         : (at[0] & 0xf0) == 0xe0 ? 3
                         : (at[0] & 0xf8) == 0xf0 ? 4
                                                  : 0;
    if (bytes < 2 || bytes > left)
        return bytes == 1;
    uint32_t code = at[0] & (0x7fU >> bytes);
    for (size_t i = 1; i < bytes; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (at[i] & 0x3fU);
    }
    const bool surrogate = code >= 0xd800 && code <= 0xdfff;
    return code < smallest[bytes] || code > 0x10ffff || surrogate ? 0 : bytes;
}

size_t utf8_valid(const char *text, size_t length) {
    const uint8_t *bytes = (const uint8_t *)text;
    size_t index = 0, n;
    while (index < length && (n = whole(bytes + index, length - index)) > 0)
        index += n;
    return index;
}

void utf8_clean(char *text, size_t length) {
    size_t index = 0;
    while ((index += utf8_valid(text + index, length - index)) < length)
        text[index++] = '?';
}
