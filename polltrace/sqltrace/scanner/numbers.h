// SPDX-License-Identifier: GPL-2.0-or-later
// Whole numbers in digits. They are loaded eight at a time, past the end of a
// number: padding makes that safe.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// Up to eight digits at `at`, all at once; how many there are.
static inline unsigned read_digits(const char *at, uint64_t *value) {
    uint64_t bytes;
    memcpy(&bytes, at, sizeof bytes);
    bytes ^= 0x3030303030303030;
    // A byte above 9 gets its high bit; the first of them ends the number.
    const uint64_t ends =
        ((bytes + 0x7676767676767676) | bytes) & 0x8080808080808080;
    const unsigned count = ends ? (unsigned)__builtin_ctzll(ends) / 8 : 8;
    if (!count) {
        *value = 0;
        return 0;
    }
    bytes <<= 64 - 8 * count;
    bytes = bytes * 10 + (bytes >> 8);
    *value = ((bytes & 0x000000FF000000FF) * (100 + (1000000ull << 32)) +
              ((bytes >> 16) & 0x000000FF000000FF) * (1 + (10000ull << 32))) >>
             32;
    return count;
}

// 10 to the power of up to eight.
static inline uint64_t power_of_ten(unsigned power) {
    static const uint32_t POWER[] = {1,      10,      100,      1000,     10000,
                                     100000, 1000000, 10000000, 100000000};
    return POWER[power];
}

// A whole number at *at, with a sign perhaps; *at is left behind it. One of 64
// bits that has no sign wraps, as Oracle's own do. False where there is none,
// or one that is longer.
bool read_number(const char **at, int64_t *value);

// The first eight digits of a long number as they were written last, and their
// value: those of tim change once in a second or less, those of a plan's hash
// value with the statement.
struct known_digits {
    uint64_t text, value;
};

static const struct known_digits NO_KNOWN_DIGITS = {
    .text = 0x3030303030303030, // eight zeros
};

struct long_numbers {
    struct known_digits tim, plh;
};

// The same as read_number of a number of nine digits to fifteen, mostly.
static inline bool read_long_number(const char **at, int64_t *value,
                                    struct known_digits *known) {
    uint64_t text, rest;
    memcpy(&text, *at, sizeof text);
    if (text != known->text) {
        if (read_digits(*at, &rest) < 8)
            return read_number(at, value);
        known->text = text;
        known->value = rest;
    }
    const unsigned count = read_digits(*at + 8, &rest);
    if (count == 8)
        return read_number(at, value);
    *value = (int64_t)(known->value * power_of_ten(count) + rest);
    *at += 8 + count;
    return true;
}

// The same of any number, mostly below 10^8.
static inline bool read_short_number(const char **at, int64_t *value) {
    uint64_t number;
    const unsigned count = read_digits(*at, &number);
    if (count - 1 > 6)
        return read_number(at, value);
    *value = (int64_t)number;
    *at += count;
    return true;
}

// The same of one that is mostly one digit.
static inline bool read_one_digit(const char **at, int64_t *value) {
    const unsigned digit = (unsigned char)(**at - '0');
    if (digit > 9 || (unsigned char)((*at)[1] - '0') <= 9)
        return read_short_number(at, value);
    *value = digit;
    ++*at;
    return true;
}
