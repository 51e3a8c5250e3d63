// SPDX-License-Identifier: GPL-2.0-or-later
// Oracle's NUMBER: an exponent of 100, then base-100 digits.
#ifndef ORALAB_ORACLE_NUMBER_H
#define ORALAB_ORACLE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NUMBER_BYTES = 22, NUMBER_TEXT = 176 };

// Each writes at most NUMBER_BYTES and returns how many; 0: not a number that
// NUMBER can hold.
size_t number_from_integer(int64_t value, uint8_t *to);
size_t number_from_double(double value, uint8_t *to);
size_t number_from_text(const char *text, size_t length, uint8_t *to);

// Plain decimal text of at most NUMBER_TEXT characters with its NUL; false
// when the bytes are not a NUMBER.
bool number_to_text(const uint8_t *from, size_t length, char *to);

#endif
