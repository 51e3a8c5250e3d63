// SPDX-License-Identifier: GPL-2.0-or-later
// Steps from line to line. A block ends with a newline, and BLOCK_PADDING
// zero bytes follow it.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

// The newline that ends the line at `at`.
static inline const char *line_end(const char *at, const char *end) {
    const char *found = memchr(at, '\n', (size_t)(end - at));
    return found ? found : end;
}

// Where `text` of `len` bytes first is in [at, end), NULL where it is not.
// Meant to be inlined: the text is a constant, and most lines are short.
static inline const char *find_text(const char *at, const char *end,
                                    const char *text, size_t len) {
    const ptrdiff_t needed = (ptrdiff_t)len;
#if defined(__SSE2__)
    const __m128i first = _mm_set1_epi8(text[0]);
    const __m128i last = _mm_set1_epi8(text[len - 1]);
    for (; end - at >= needed; at += 16) {
        const __m128i begins = _mm_loadu_si128((const __m128i *)at);
        const __m128i ends = _mm_loadu_si128((const __m128i *)(at + len - 1));
        unsigned found = (unsigned)_mm_movemask_epi8(_mm_and_si128(
            _mm_cmpeq_epi8(begins, first), _mm_cmpeq_epi8(ends, last)));
        for (; found; found &= found - 1) {
            const char *const here = at + __builtin_ctz(found);
            if (end - here >= needed && memcmp(here, text, len) == 0)
                return here;
        }
    }
#else
    for (; end - at >= needed; at++)
        if (*at == *text && memcmp(at, text, len) == 0)
            return at;
#endif
    return NULL;
}

// The first line from `at`, a line's start, that begins with neither a blank
// nor a line end; counts those before it.
const char *skip_indented(const char *at, const char *end, uint32_t *lines);

// How many lines end in [at, end).
uint32_t count_lines(const char *at, const char *end);
