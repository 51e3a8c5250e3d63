// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/types/like_pattern.h"

#include <stdbool.h>
#include <string.h>

#include "sql/types/utf8.h"

enum { ILLEGAL_ESCAPED = 1424, ILLEGAL_ESCAPE = 1425 };

unsigned like_pattern_error(const char *pattern, size_t pattern_length,
                            const char *escape, size_t escape_length) {
    const char *end = pattern + pattern_length;
    if (escape_length == 0 ||
        utf8_bytes(escape, escape + escape_length) != escape_length)
        return ILLEGAL_ESCAPE;
    for (const char *next = pattern; next < end;) {
        const size_t bytes = utf8_bytes(next, end);
        const bool escapes =
            bytes == escape_length && memcmp(next, escape, bytes) == 0;
        next += bytes;
        if (!escapes)
            continue;
        if (next == end)
            return ILLEGAL_ESCAPED;
        const size_t escaped = utf8_bytes(next, end);
        if (*next != '%' && *next != '_' &&
            !(escaped == bytes && memcmp(next, escape, bytes) == 0))
            return ILLEGAL_ESCAPED;
        next += escaped;
    }
    return 0;
}
