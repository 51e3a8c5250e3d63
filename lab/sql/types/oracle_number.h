// SPDX-License-Identifier: GPL-2.0-or-later
// Oracle's NUMBER: a base-100 exponent, then base-100 digits. The bytes sort in
// numeric order.
#ifndef ORALAB_ORACLE_NUMBER_H
#define ORALAB_ORACLE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sql/types/decimal.h"

enum { NUMBER_BYTES = 22, NUMBER_TEXT = 176 };

// Each writes at most NUMBER_BYTES and returns their number; 0: out of NUMBER's
// range.
size_t number_from_decimal(const struct decimal *value, uint8_t *to);
size_t number_from_integer(int64_t value, uint8_t *to);
size_t number_from_double(double value, uint8_t *to);
size_t number_from_text(const char *text, size_t length, uint8_t *to);

// False if the bytes are no NUMBER.
bool number_to_decimal(const uint8_t *from, size_t length, struct decimal *to);
// As plain decimal text of at most NUMBER_TEXT bytes, including its NUL.
bool number_to_text(const uint8_t *from, size_t length, char *to);
void decimal_to_text(const struct decimal *from, char *to);
// Converts the first 15 digits, which a double holds exactly: 0.1 stays
// 0.1. False if it is infinite, not a number, or too large.
bool decimal_from_double(double value, struct decimal *to);

#endif
