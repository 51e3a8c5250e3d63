// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/oracle_number.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DIGITS = 40, BASE_100_DIGITS = 20 };

// `digits` has no leading zero; the value is 0.DIGITS times 10 to `point`.
static size_t encode(bool negative, const char *digits, size_t count, int point,
                     uint8_t *to) {
    while (count > 0 && digits[count - 1] == '0')
        count--;
    if (count == 0) {
        to[0] = 0x80;
        return 1;
    }
    // Pairs of digits stand on even places left and right of the point.
    bool odd = point % 2 != 0;
    int exponent = (point + (odd && point > 0)) / 2 - 1;
    if (exponent > 62)
        return 0;
    if (exponent < -65) {
        to[0] = 0x80;
        return 1;
    }
    size_t n = 1;
    to[0] = (uint8_t)(negative ? 62 - exponent : 193 + exponent);
    for (size_t i = 0; i < count && n <= BASE_100_DIGITS;) {
        int pair;
        if (i == 0 && odd)
            pair = digits[i++] - '0';
        else {
            pair = (digits[i] - '0') * 10 +
                   (i + 1 < count ? digits[i + 1] - '0' : 0);
            i += 2;
        }
        to[n++] = (uint8_t)(negative ? 101 - pair : pair + 1);
    }
    if (negative && n <= BASE_100_DIGITS)
        to[n++] = 102;
    return n;
}

size_t number_from_text(const char *text, size_t length, uint8_t *to) {
    char digits[MOST_DIGITS + 1];
    size_t count = 0, at = 0;
    int point = 0;
    bool negative = false, seen = false, fraction = false;
    while (at < length && isspace((unsigned char)text[at]))
        at++;
    while (length > at && isspace((unsigned char)text[length - 1]))
        length--;
    if (at < length && (text[at] == '-' || text[at] == '+'))
        negative = text[at++] == '-';
    for (; at < length; at++) {
        char c = text[at];
        if (c == '.' && !fraction) {
            fraction = true;
        } else if (isdigit((unsigned char)c)) {
            seen = true;
            if (count == 0 && c == '0') {
                point -= fraction;
                continue;
            }
            point += !fraction;
            if (count < MOST_DIGITS)
                digits[count++] = c;
        } else {
            break;
        }
    }
    if (!seen)
        return 0;
    if (at < length && (text[at] == 'e' || text[at] == 'E')) {
        char power[8] = "", *end;
        if (length - at - 1 >= sizeof power || at + 1 == length)
            return 0;
        memcpy(power, text + at + 1, length - at - 1);
        point += (int)strtol(power, &end, 10);
        if (*end)
            return 0;
        at = length;
    }
    return at == length ? encode(negative, digits, count, point, to) : 0;
}

size_t number_from_integer(int64_t value, uint8_t *to) {
    char text[24];
    int n = snprintf(text, sizeof text, "%lld", (long long)value);
    return number_from_text(text, (size_t)n, to);
}

size_t number_from_double(double value, uint8_t *to) {
    char text[32];
    if (!isfinite(value))
        return 0;
    // 15 digits are what a double is sure of: 0.1 stays 0.1.
    int n = snprintf(text, sizeof text, "%.15g", value);
    return number_from_text(text, (size_t)n, to);
}

bool number_to_text(const uint8_t *from, size_t length, char *to) {
    if (length == 0 || length > NUMBER_BYTES)
        return false;
    if (length == 1 && from[0] == 0x80) {
        strcpy(to, "0");
        return true;
    }
    bool negative = !(from[0] & 0x80);
    if (negative && from[length - 1] == 102)
        length--;
    int exponent = negative ? 62 - from[0] : from[0] - 193;
    char digits[2 * NUMBER_BYTES + 1];
    size_t count = 0;
    for (size_t i = 1; i < length; i++) {
        int pair = negative ? 101 - from[i] : from[i] - 1;
        if (pair < 0 || pair > 99)
            return false;
        digits[count++] = (char)('0' + pair / 10);
        digits[count++] = (char)('0' + pair % 10);
    }
    if (count == 0)
        return false;
    int point = 2 * (exponent + 1); // digits left of the decimal point
    while (count > 1 && digits[count - 1] == '0')
        count--;
    size_t skip = digits[0] == '0' && point > 0;
    if (negative)
        *to++ = '-';
    if (point <= 0)
        *to++ = '0';
    for (int i = (int)skip; i < point; i++)
        *to++ = (size_t)i < count ? digits[i] : '0';
    if ((int)count > point) {
        *to++ = '.';
        for (int i = point; i < 0; i++)
            *to++ = '0';
        for (size_t i = point > 0 ? (size_t)point : 0; i < count; i++)
            *to++ = digits[i];
    }
    *to = '\0';
    return true;
}
