// SPDX-License-Identifier: GPL-2.0-or-later
// Decimal arithmetic with NUMBER's precision: 20 base-100 digits, which are 39
// or 40 decimal digits depending on the position of the point.
#ifndef ORALAB_DECIMAL_H
#define ORALAB_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DECIMAL_DIGITS = 40, MOST_POINT = 126, LEAST_POINT = -129 };

// 0.DIGITS * 10^point. The first and the last digit are not 0; zero has no
// digits.
struct decimal {
    bool negative;
    int point;
    unsigned count;
    uint8_t digit[DECIMAL_DIGITS];
};

// Each returns false if the result is out of NUMBER's range: ORA-01426.
bool decimal_add(const struct decimal *a, const struct decimal *b,
                 struct decimal *to);
bool decimal_subtract(const struct decimal *a, const struct decimal *b,
                      struct decimal *to);
bool decimal_multiply(const struct decimal *a, const struct decimal *b,
                      struct decimal *to);
// `b` is not zero.
bool decimal_divide(const struct decimal *a, const struct decimal *b,
                    struct decimal *to);
// The remainder of `a` divided by `b`, truncating; `b` is not zero.
bool decimal_modulo(const struct decimal *a, const struct decimal *b,
                    struct decimal *to);

// -1, 0 or 1
int decimal_compare(const struct decimal *a, const struct decimal *b);
// Rounds to `places` digits right of the point (left of it if negative), halves
// away from zero.
bool decimal_round(const struct decimal *a, int places, struct decimal *to);
void decimal_truncate(const struct decimal *a, int places, struct decimal *to);

struct decimal decimal_from_integer(int64_t value);
// False unless the value is an integer that fits 64 bits.
bool decimal_to_integer(const struct decimal *a, int64_t *value);
// Digits with an optional sign, point and exponent, spaces around them. False
// when the text is not one, or *overflow is set.
bool decimal_from_text(const char *text, size_t length, struct decimal *to,
                       bool *overflow);

#endif
