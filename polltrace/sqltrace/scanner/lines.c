// SPDX-License-Identifier: GPL-2.0-or-later
// Binds are most of many trace files, and all their lines are indented: 64
// bytes are compared at once, whatever lines they hold.
#include "lines.h"

#include <stdbool.h>

#ifdef WITH_SSE2
#include <immintrin.h>
#define WITH_AVX2 __attribute__((target("avx2,popcnt,bmi")))

WITH_AVX2 static uint32_t equal(__m256i bytes, char value) {
    return (uint32_t)_mm256_movemask_epi8(
        _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(value)));
}

// A bit for each byte that is a blank or a line's end: the table has these at
// the place of their low four bits, and elsewhere a value that no byte of that
// place has. Where a byte's high bit is set, the shuffle gives 0.
WITH_AVX2 static uint32_t indents(__m256i bytes) {
    const __m256i table = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(' ', 0, 0, 0, 0, 0, 0, 0, 0, 0, '\n', 0, 0, '\r', 0, 0));
    return (uint32_t)_mm256_movemask_epi8(
        _mm256_cmpeq_epi8(_mm256_shuffle_epi8(table, bytes), bytes));
}

WITH_AVX2 static const char *skip_by_64(const char *at, const char *end,
                                        uint32_t *lines) {
    uint64_t begins = 0; // 1: the next byte begins a line
    for (; at < end; at += 64) {
        expect_bytes(at);
        const __m256i low = _mm256_loadu_si256((const __m256i *)at);
        const __m256i high = _mm256_loadu_si256((const __m256i *)(at + 32));
        uint64_t ends = equal(low, '\n') | (uint64_t)equal(high, '\n') << 32;
        // Short of the end of the block, whose padding is no line.
        if (end - at < 64)
            ends &= (1ull << (end - at)) - 1;
        const uint64_t indented = indents(low) | (uint64_t)indents(high) << 32;
        const uint64_t starts = (ends << 1 | begins) & ~indented;
        if (starts) {
            const int bit = __builtin_ctzll(starts);
            *lines +=
                (uint32_t)__builtin_popcountll(ends & ((1ull << bit) - 1));
            return at + bit;
        }
        *lines += (uint32_t)__builtin_popcountll(ends);
        begins = ends >> 63;
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
#ifdef WITH_SSE2
    if (__builtin_cpu_supports("avx2"))
        return skip_by_64(at, end, lines);
#endif
    return skip_by_line(at, end, lines);
}

uint32_t count_lines(const char *at, const char *end) {
#ifdef WITH_SSE2
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
