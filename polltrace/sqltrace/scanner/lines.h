// SPDX-License-Identifier: GPL-2.0-or-later
// Steps from line to line. A block ends with a newline, and BLOCK_PADDING bytes
// follow it that can be read, zeros or the file's next. Whoever owns a mapped
// file may change these bytes, even between two looks at one, so no
// byte that was seen before bounds a step: `end` does.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// PORTABLE: without vector instructions, as on other processors.
#if defined(__SSE2__) && !defined(PORTABLE)
#define WITH_SSE2
#include <emmintrin.h>
#endif

#ifdef WITH_SSE2
static inline uint64_t mask_of(__m128i a, __m128i b, __m128i c, __m128i d) {
    return (uint64_t)(uint32_t)_mm_movemask_epi8(a) |
           (uint64_t)(uint32_t)_mm_movemask_epi8(b) << 16 |
           (uint64_t)(uint32_t)_mm_movemask_epi8(c) << 32 |
           (uint64_t)(uint32_t)_mm_movemask_epi8(d) << 48;
}

static inline __m128i load_16(const char *at) {
    return _mm_loadu_si128((const __m128i *)at);
}

static inline uint64_t ends_in_64(const char *at) {
    const __m128i end = _mm_set1_epi8('\n');
    return mask_of(_mm_cmpeq_epi8(load_16(at), end),
                   _mm_cmpeq_epi8(load_16(at + 16), end),
                   _mm_cmpeq_epi8(load_16(at + 32), end),
                   _mm_cmpeq_epi8(load_16(at + 48), end));
}
#endif

// Lines are read as fast as memory gives them, and faster where it is asked for
// them some time before. An address behind the block does no harm.
enum { BYTES_AHEAD = 8192 };

static inline void expect_bytes(const char *at) {
    __builtin_prefetch(at + BYTES_AHEAD);
}

// The newline that ends the line at `at`.
static inline const char *line_end(const char *at, const char *end) {
#ifdef WITH_SSE2
    for (; at < end; at += 64) {
        const uint64_t ends = ends_in_64(at);
        if (ends) {
            at += __builtin_ctzll(ends);
            return at < end ? at : end;
        }
    }
    return end;
#else
    const char *found = memchr(at, '\n', (size_t)(end - at));
    return found ? found : end;
#endif
}

// The start of the line after the one that ends at `eol`. In a file that is
// written to at the same time, the last newline of the block may be gone: there
// is nothing behind `end`.
static inline const char *after_line(const char *eol, const char *end) {
    return eol < end ? eol + 1 : end;
}

// The line after the one at `at`.
static inline const char *skip_line(const char *at, const char *end) {
    return after_line(line_end(at, end), end);
}

#ifdef WITH_SSE2
static inline __m128i tim_or_end(const char *at) {
    const __m128i here = load_16(at);
    return _mm_or_si128(
        _mm_and_si128(_mm_cmpeq_epi8(here, _mm_set1_epi8(' ')),
                      _mm_cmpeq_epi8(load_16(at + 4), _mm_set1_epi8('='))),
        _mm_cmpeq_epi8(here, _mm_set1_epi8('\n')));
}
#endif

// Where " tim=" is first in the line at `at`, which ends before `end`; NULL
// where it is not.
static inline const char *find_tim(const char *at, const char *end) {
#ifdef WITH_SSE2
    for (; at < end; at += 64) {
        uint64_t found = mask_of(tim_or_end(at), tim_or_end(at + 16),
                                 tim_or_end(at + 32), tim_or_end(at + 48));
        for (; found; found &= found - 1) {
            const char *const here = at + __builtin_ctzll(found);
            if (*here == '\n')
                return NULL;
            if (memcmp(here, " tim=", 5) == 0)
                return here;
        }
    }
#else
    for (; at < end && *at != '\n'; at++)
        if (memcmp(at, " tim=", 5) == 0)
            return at;
#endif
    return NULL;
}

// Where `byte` is first in the 32 bytes at `at`; 32 where it is not.
static inline unsigned first_of_32(const char *at, char byte) {
#ifdef WITH_SSE2
    const __m128i wanted = _mm_set1_epi8(byte);
    const unsigned low =
        (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(load_16(at), wanted));
    const unsigned high =
        (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(load_16(at + 16), wanted));
    return (unsigned)__builtin_ctzll(low | (uint64_t)high << 16 | 1ull << 32);
#else
    const char *const found = memchr(at, byte, 32);
    return found ? (unsigned)(found - at) : 32;
#endif
}

// Whether the 64 bytes at `at` are those at `text` where `mask` has bits.
static inline bool is_same_64(const char *at, const char *text,
                              const char *mask) {
#ifdef WITH_SSE2
    __m128i differ = _mm_setzero_si128();
    for (size_t i = 0; i < 64; i += 16)
        differ = _mm_or_si128(
            differ,
            _mm_and_si128(_mm_xor_si128(load_16(at + i), load_16(text + i)),
                          load_16(mask + i)));
    return _mm_movemask_epi8(_mm_cmpeq_epi8(differ, _mm_setzero_si128())) ==
           0xffff;
#else
    char differ = 0;
    for (size_t i = 0; i < 64; i++)
        differ |= (char)((at[i] ^ text[i]) & mask[i]);
    return !differ;
#endif
}

// Where `text` of `len` bytes first is in [at, end), NULL where it is not.
// Meant to be inlined: the text is a constant, and most lines are short.
static inline const char *find_text(const char *at, const char *end,
                                    const char *text, size_t len) {
    const ptrdiff_t needed = (ptrdiff_t)len;
#ifdef WITH_SSE2
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
