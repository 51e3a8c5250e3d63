// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/types/utf16.h"

#include "sql/types/utf8.h"

size_t utf16_to_utf8(const uint8_t *from, size_t length, char *to) {
    size_t n = 0;
    for (size_t i = 0; i + 1 < length; i += 2) {
        uint32_t c = (uint32_t)from[i] << 8 | from[i + 1];
        if (c >= 0xd800 && c < 0xdc00 && i + 3 < length &&
            from[i + 2] >= 0xdc && from[i + 2] < 0xe0) {
            const uint32_t low = (uint32_t)from[i + 2] << 8 | from[i + 3];
            c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
            i += 2;
        } else if (c >= 0xd800 && c < 0xe000) {
            c = 0xfffd; // half a pair
        }
        n += utf8_write(c, to + n);
    }
    return n;
}

static size_t write_unit(uint32_t unit, uint8_t *to) {
    to[0] = (uint8_t)(unit >> 8);
    to[1] = (uint8_t)unit;
    return 2;
}

size_t utf16_from_utf8(const char *from, size_t length, uint8_t *to) {
    const char *end = from + length;
    size_t n = 0;
    while (from < end) {
        const size_t bytes = utf8_bytes(from, end);
        uint32_t c = utf8_code(from, bytes);
        if (bytes == 1 && c >= 0x80)
            c = 0xfffd; // no valid sequence
        if (c >= 0x10000) {
            n += write_unit(0xd800 + ((c - 0x10000) >> 10), to + n);
            c = 0xdc00 + ((c - 0x10000) & 0x3ff);
        }
        n += write_unit(c, to + n);
        from += bytes;
    }
    return n;
}
