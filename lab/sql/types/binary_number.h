// SPDX-License-Identifier: GPL-2.0-or-later
// BINARY_FLOAT and BINARY_DOUBLE: IEEE 754 with two rules of Oracle's. There is
// no -0: it becomes 0. There is one NaN, which equals itself and is greater
// than all other numbers. Infinities and subnormal numbers are kept.
//
// On the wire the bytes of these sort: the sign bit of positive numbers is set,
// all bits of negative ones are inverted. In SQLite they are a blob of the same
// bytes, filled with zeros up to a length that tells the type; see value.h.
#ifndef ORALAB_BINARY_NUMBER_H
#define ORALAB_BINARY_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sql/types/decimal.h"
#include "sql/types/value.h"

enum { BINARY_FLOAT_WIRE = 4, BINARY_DOUBLE_WIRE = 8 };

// The number as it is in SQLite, in value_binary_bytes(class) bytes. Rounds to
// a BINARY_FLOAT's precision if `class` is that.
void binary_number_write(double number, enum value_class class, uint8_t *to);
// From the bytes of the wire, with which a value in SQLite begins.
double binary_number_read(const uint8_t *from, enum value_class class);
// -1, 0 or 1
int binary_number_compare(double a, double b);

// The nearest one. Oracle says no more of this conversion than that it may be
// inexact.
double binary_number_from_decimal(const struct decimal *from,
                                  enum value_class class);
// False with the ORA- number in *error: 1426 for an infinity, a NaN or a number
// beyond NUMBER's range, 3001 for a number of more digits than both systems
// have for sure, because how Oracle rounds those is not known.
bool binary_number_to_decimal(double from, enum value_class class,
                              struct decimal *to, unsigned *error);

// Any number or text as a number of this class. False after an error.
bool value_binary(struct sqlite3_context *context, struct sqlite3_value *value,
                  enum value_class class, double *to);
void value_result_binary(struct sqlite3_context *context, double number,
                         enum value_class class);
// A NUMBER, as value_decimal() takes it, or one of these.
bool value_number(struct sqlite3_context *context, struct sqlite3_value *value,
                  struct decimal *to);
// The class in which numbers of these two are compared and calculated with:
// CLASS_NUMBER unless one is a BINARY_DOUBLE, or a BINARY_FLOAT.
enum value_class value_class_of_both(enum value_class a, enum value_class b);

#endif
