// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/types/oracle_number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

size_t number_from_decimal(const struct decimal *value, uint8_t *to) {
    if (value->count == 0) {
        to[0] = 0x80;
        return 1;
    }
    // Digit pairs are aligned to the point.
    bool odd = value->point % 2 != 0;
    int exponent = (value->point + (odd && value->point > 0)) / 2 - 1;
    if (exponent > 62)
        return 0;
    size_t n = 1;
    to[0] = (uint8_t)(value->negative ? 62 - exponent : 193 + exponent);
    for (unsigned i = 0; i < value->count;) {
        int pair;
        if (i == 0 && odd) {
            pair = value->digit[i++];
        } else {
            pair = value->digit[i] * 10 +
                   (i + 1 < value->count ? value->digit[i + 1] : 0);
            i += 2;
        }
        to[n++] = (uint8_t)(value->negative ? 101 - pair : pair + 1);
    }
    if (value->negative && n < NUMBER_BYTES - 1)
        to[n++] = 102;
    return n;
}

size_t number_from_text(const char *text, size_t length, uint8_t *to) {
    struct decimal value;
    bool overflow;
    return decimal_from_text(text, length, &value, &overflow)
               ? number_from_decimal(&value, to)
               : 0;
}

size_t number_from_integer(int64_t value, uint8_t *to) {
    struct decimal decimal = decimal_from_integer(value);
    return number_from_decimal(&decimal, to);
}

bool decimal_from_double(double value, struct decimal *to) {
    char text[32];
    bool overflow;
    int n = snprintf(text, sizeof text, "%.15g", value);
    return isfinite(value) && decimal_from_text(text, (size_t)n, to, &overflow);
}

size_t number_from_double(double value, uint8_t *to) {
    struct decimal decimal;
    return decimal_from_double(value, &decimal)
               ? number_from_decimal(&decimal, to)
               : 0;
}

bool number_to_decimal(const uint8_t *from, size_t length, struct decimal *to) {
    char text[2 * NUMBER_BYTES + 16];
    if (length == 0 || length > NUMBER_BYTES)
        return false;
    if (length == 1 && from[0] == 0x80) {
        *to = (struct decimal){0};
        return true;
    }
    bool negative = !(from[0] & 0x80), overflow;
    if (negative && from[length - 1] == 102)
        length--;
    int exponent = negative ? 62 - from[0] : from[0] - 193;
    if (length < 2)
        return false;
    int n = snprintf(text, sizeof text, "%s.", negative ? "-" : "");
    for (size_t i = 1; i < length; i++) {
        int pair = negative ? 101 - from[i] : from[i] - 1;
        if (pair < 0 || pair > 99)
            return false;
        n += snprintf(text + n, sizeof text - (size_t)n, "%02d", pair);
    }
    n += snprintf(text + n, sizeof text - (size_t)n, "E%d", 2 * exponent + 2);
    return decimal_from_text(text, (size_t)n, to, &overflow);
}

void decimal_to_text(const struct decimal *from, char *to) {
    int count = (int)from->count, point = from->point;
    if (count == 0) {
        strcpy(to, "0");
        return;
    }
    if (from->negative)
        *to++ = '-';
    if (point <= 0)
        *to++ = '0';
    for (int i = 0; i < point; i++)
        *to++ = (char)('0' + (i < count ? from->digit[i] : 0));
    if (count > point) {
        *to++ = '.';
        for (int i = point; i < count; i++)
            *to++ = (char)('0' + (i < 0 ? 0 : from->digit[i]));
    }
    *to = '\0';
}

bool number_to_text(const uint8_t *from, size_t length, char *to) {
    struct decimal value;
    if (!number_to_decimal(from, length, &value))
        return false;
    decimal_to_text(&value, to);
    return true;
}
