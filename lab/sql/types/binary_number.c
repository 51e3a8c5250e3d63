// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/types/binary_number.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sql/types/oracle_number.h"

static size_t wire_bytes(enum value_class class) {
    return class == CLASS_BINARY_FLOAT ? BINARY_FLOAT_WIRE : BINARY_DOUBLE_WIRE;
}

static double rounded(double number, enum value_class class) {
    return class == CLASS_BINARY_FLOAT ? (double)(float)number : number;
}

void binary_number_write(double number, enum value_class class, uint8_t *to) {
    const size_t bytes = wire_bytes(class);
    const uint64_t sign = UINT64_C(1) << (8 * bytes - 1);
    uint64_t bits;
    if (isnan(number))
        number = (double)NAN; // of both signs, with every payload
    if (number == 0)
        number = 0; // without a sign
    if (class == CLASS_BINARY_FLOAT) {
        const float single = (float)number;
        uint32_t half;
        memcpy(&half, &single, sizeof half);
        bits = half;
    } else {
        memcpy(&bits, &number, sizeof bits);
    }
    bits = bits & sign ? ~bits : bits | sign;
    memset(to, 0, value_binary_bytes(class));
    for (size_t i = 0; i < bytes; i++)
        to[i] = (uint8_t)(bits >> 8 * (bytes - 1 - i));
}

double binary_number_read(const uint8_t *from, enum value_class class) {
    const size_t bytes = wire_bytes(class);
    const uint64_t sign = UINT64_C(1) << (8 * bytes - 1);
    uint64_t bits = 0;
    for (size_t i = 0; i < bytes; i++)
        bits = bits << 8 | from[i];
    bits = bits & sign ? bits & ~sign : ~bits;
    if (class == CLASS_BINARY_FLOAT) {
        const uint32_t half = (uint32_t)bits;
        float single;
        memcpy(&single, &half, sizeof single);
        return single;
    }
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

int binary_number_compare(double a, double b) {
    if (isnan(a) || isnan(b))
        return !!isnan(a) - !!isnan(b);
    return (a > b) - (a < b);
}

double binary_number_from_decimal(const struct decimal *from,
                                  enum value_class class) {
    char text[NUMBER_TEXT];
    decimal_to_text(from, text);
    // Not from a double: that would round twice.
    return class == CLASS_BINARY_FLOAT ? (double)strtof(text, NULL)
                                       : strtod(text, NULL);
}

bool binary_number_to_decimal(double from, enum value_class class,
                              struct decimal *to, unsigned *error) {
    enum { DIGITS_OF_ANY = 17, DOUBLE_DIGITS = 15, FLOAT_DIGITS = 9 };
    const unsigned sure =
        class == CLASS_BINARY_FLOAT ? FLOAT_DIGITS : DOUBLE_DIGITS;
    char text[32];
    bool overflow;
    const int n = snprintf(text, sizeof text, "%.*g", DIGITS_OF_ANY, from);
    *error = 1426;
    if (!isfinite(from) || !decimal_from_text(text, (size_t)n, to, &overflow))
        return false;
    *error = 3001;
    return to->count <= sure;
}

bool value_number(sqlite3_context *context, sqlite3_value *value,
                  struct decimal *to) {
    const enum value_class class = value_class(value);
    unsigned error;
    if (!value_class_is_binary(class))
        return value_decimal(context, value, to);
    if (binary_number_to_decimal(
            binary_number_read(sqlite3_value_blob(value), class), class, to,
            &error))
        return true;
    value_result_error(context, error,
                       error == 3001
                           ? "more than 15 digits of a BINARY_DOUBLE or "
                             "BINARY_FLOAT as a NUMBER"
                           : "");
    return false;
}

bool value_binary(sqlite3_context *context, sqlite3_value *value,
                  enum value_class class, double *to) {
    const enum value_class from = value_class(value);
    struct decimal number;
    if (value_class_is_binary(from)) {
        *to =
            rounded(binary_number_read(sqlite3_value_blob(value), from), class);
        return true;
    }
    if (!value_decimal(context, value, &number))
        return false;
    *to = binary_number_from_decimal(&number, class);
    return true;
}

void value_result_binary(sqlite3_context *context, double number,
                         enum value_class class) {
    uint8_t bytes[BINARY_DOUBLE_BYTES];
    binary_number_write(number, class, bytes);
    sqlite3_result_blob(context, bytes, (int)value_binary_bytes(class),
                        SQLITE_TRANSIENT);
}

enum value_class value_class_of_both(enum value_class a, enum value_class b) {
    if (a == CLASS_BINARY_DOUBLE || b == CLASS_BINARY_DOUBLE)
        return CLASS_BINARY_DOUBLE;
    if (a == CLASS_BINARY_FLOAT || b == CLASS_BINARY_FLOAT)
        return CLASS_BINARY_FLOAT;
    return CLASS_NUMBER;
}
