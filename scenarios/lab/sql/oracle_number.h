// SPDX-License-Identifier: GPL-2.0-or-later
// Oracle's NUMBER: an exponent of 100, then base-100 digits. As bytes they
// sort in order.
#ifndef ORALAB_ORACLE_NUMBER_H
#define ORALAB_ORACLE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sql/decimal.h"

enum { NUMBER_BYTES = 22, NUMBER_TEXT = 176 };

// Each writes at most NUMBER_BYTES and returns how many; 0: not a number that
// NUMBER can hold.
size_t number_from_decimal(const struct decimal *value, uint8_t *to);
size_t number_from_integer(int64_t value, uint8_t *to);
size_t number_from_double(double value, uint8_t *to);
size_t number_from_text(const char *text, size_t length, uint8_t *to);

// False when the bytes are not a NUMBER.
bool number_to_decimal(const uint8_t *from, size_t length, struct decimal *to);
// The same as plain decimal text of at most NUMBER_TEXT characters with its
// NUL.
bool number_to_text(const uint8_t *from, size_t length, char *to);
void decimal_to_text(const struct decimal *from, char *to);
// A double means its first 15 digits: those are what it is sure of, so that
// 0.1 stays 0.1. False when it is infinite, not a number, or too large.
bool decimal_from_double(double value, struct decimal *to);

#endif
