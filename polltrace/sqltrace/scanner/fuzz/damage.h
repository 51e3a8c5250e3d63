// SPDX-License-Identifier: GPL-2.0-or-later
// Damaged trace files, and the blocks that they are cut into.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t next_random(uint64_t *state) { // xorshift64*
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1d >> 32;
}

// Set `bytes` bytes of the `size` at `data`, most to those of records and of
// the begins and ends of values.
static inline void damage(uint8_t *data, size_t size, uint64_t bytes,
                          uint64_t *state) {
    static const char telling[] = "0123456789=,:#'\"\n\r *-\\\377/";
    for (uint64_t i = 0; i < bytes; i++) {
        const uint64_t at = next_random(state) % size;
        const uint64_t other = next_random(state);
        data[at] = other % 4 ? (uint8_t)telling[other / 4 % sizeof telling]
                             : (uint8_t)(other / 4);
    }
}

// Cut after the first line end that is `least` bytes away.
static inline size_t part_length(const char *at, size_t left, size_t least) {
    if (least >= left)
        return left;
    const char *end = memchr(at + least, '\n', left - least);
    return end ? (size_t)(end - at) + 1 : left;
}
