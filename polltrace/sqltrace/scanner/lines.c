// SPDX-License-Identifier: GPL-2.0-or-later
// Binds are most of many trace files, and all their lines are indented: 32
// bytes are compared at once, whatever lines they hold.
#include "lines.h"

#include <stdbool.h>

#if defined(__x86_64__)
#include <immintrin.h>
#define WITH_AVX2 __attribute__((target("avx2,popcnt,bmi")))

WITH_AVX2 static uint32_t equal(__m256i bytes, char value) {
    return (uint32_t)_mm256_movemask_epi8(
        _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(value)));
}

WITH_AVX2 static const char *skip_by_32(const char *at, const char *end,
                                        uint32_t *lines) {
    for (; at < end; at += 32) {
        const __m256i here = _mm256_loadu_si256((const __m256i *)at);
        const __m256i next = _mm256_loadu_si256((const __m256i *)(at + 1));
        uint32_t ends = equal(here, '\n');
        // Short of the end of the block, whose padding is no line.
        if (end - at < 32)
            ends &= (1u << (end - at)) - 1;
        const uint32_t indented =
            equal(next, ' ') | equal(next, '\n') | equal(next, '\r');
        const uint32_t found = ends & ~indented;
        if (found) {
            const int bit = __builtin_ctz(found);
            *lines += (uint32_t)__builtin_popcount(ends & ((2u << bit) - 1));
            return at + bit + 1;
        }
        *lines += (uint32_t)__builtin_popcount(ends);
    }
    return end;
}

WITH_AVX2 static uint32_t count_by_32(const char *at, const char *end) {
    uint32_t lines = 0;
    for (; end - at >= 32; at += 32)
        lines += (uint32_t)__builtin_popcount(
            equal(_mm256_loadu_si256((const __m256i *)at), '\n'));
    for (; at < end; at++)
        lines += *at == '\n';
    return lines;
}
#endif

static bool is_indented(char first) {
    return first == ' ' || first == '\n' || first == '\r';
}

static const char *skip_by_line(const char *at, const char *end,
                                uint32_t *lines) {
    while (at < end && is_indented(*at)) {
        at = line_end(at, end);
        if (at < end)
            at++, ++*lines;
    }
    return at;
}

const char *skip_indented(const char *at, const char *end, uint32_t *lines) {
    if (at >= end || !is_indented(*at))
        return at;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
        return skip_by_32(at, end, lines);
#endif
    return skip_by_line(at, end, lines);
}

uint32_t count_lines(const char *at, const char *end) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
        return count_by_32(at, end);
#endif
    uint32_t lines = 0;
    while ((at = memchr(at, '\n', (size_t)(end - at)))) {
        lines++;
        at++;
    }
    return lines;
}
