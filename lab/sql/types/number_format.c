// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/types/number_format.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sql/types/number_model.h"

bool number_shown(const struct decimal *value, char *to) {
    enum { WIDTH = 40 }; // of the digits and the point
    int point = value->point, count = (int)value->count;
    if (count == 0 || (point <= WIDTH && point >= count) ||
        (point > 0 && point < count) ||
        (point <= 0 && count - point <= WIDTH)) {
        decimal_to_text(value, to);
        // Oracle omits the zero before the point.
        char *zero = to + (*to == '-');
        if (zero[0] == '0' && zero[1] == '.')
            memmove(zero, zero + 1, strlen(zero));
        return true;
    }
    if (point <= WIDTH)
        return false;
    // 1.2300E+41, 40 characters wide
    struct decimal cut = *value;
    enum { MANTISSA_PLACES = WIDTH - 6 };
    char *end = to;
    bool three = point - 1 > 99;
    int places = MANTISSA_PLACES - three;
    if (!decimal_round(value, places - (point - 1), &cut))
        return false;
    if (value->negative)
        *end++ = '-';
    *end++ = (char)('0' + cut.digit[0]);
    *end++ = '.';
    for (int i = 1; i <= places; i++)
        *end++ = (char)('0' + (i < (int)cut.count ? cut.digit[i] : 0));
    sprintf(end, "E+%02d", cut.point - 1);
    return true;
}

static int digit_at(const struct decimal *value, int place) {
    // place 0 is the digit left of the point, -1 the first one right of it
    int i = value->point - 1 - place;
    return i >= 0 && i < (int)value->count ? value->digit[i] : 0;
}

// Writes the digits of the picture, without sign and currency, from the right:
// `end` is where the last character goes. Returns where the first one is.
static char *put_digits(const struct number_format *format,
                        const struct decimal *value, char *end) {
    const char *zero_first = strchr(format->picture, '0');
    const char *point = strchr(format->picture, '.');
    size_t length = strlen(format->picture);
    char *position = end;
    int place = -(int)format->places;
    for (size_t i = length; i > 0; i--) {
        const char *p = format->picture + i - 1;
        const bool right = point && p > point;
        // Leading zeros appear from the picture's first 0 on; a single zero
        // left of the point only if the picture has a 0 there.
        const bool prints_zero =
            right || place < value->point || (zero_first && p >= zero_first);
        if (*p == '.')
            *--position = '.';
        else if (*p == ',') {
            // A group separator appears only between digits.
            if (place < value->point || (zero_first && p > zero_first))
                *--position = ',';
        } else {
            if (prints_zero)
                *--position = (char)('0' + digit_at(value, place));
            place++;
        }
    }
    return position;
}

// FM drops trailing zeros in the places of 9s.
static void take_zeros(const struct number_format *format, char *text) {
    const char *point = strchr(format->picture, '.');
    char *shown = strchr(text, '.');
    if (format->fill || !point || !shown)
        return;
    const char *last_zero = strrchr(point, '0');
    size_t keep = last_zero ? (size_t)(last_zero - point) + 1 : 1;
    size_t length = strlen(shown);
    while (length > keep && shown[length - 1] == '0')
        shown[--length] = '\0';
}

static void show_exponent(const struct number_format *format,
                          const struct decimal *value, char *to) {
    struct decimal cut = *value;
    char text[NUMBER_SHOWN], *at = text;
    decimal_round(value, (int)format->places - (value->point - 1), &cut);
    if (cut.negative || format->fill)
        *at++ = cut.negative ? '-' : ' ';
    *at++ = (char)('0' + (cut.count > 0 ? cut.digit[0] : 0));
    if (strchr(format->picture, '.'))
        *at++ = '.';
    for (unsigned i = 1; i <= format->places; i++)
        *at++ = (char)('0' + (i < cut.count ? cut.digit[i] : 0));
    int power = cut.count > 0 ? cut.point - 1 : 0;
    at += sprintf(at, "E%c%02d", power < 0 ? '-' : '+', abs(power));
    // The exponent has room for three digits.
    sprintf(to, "%*s", format->fill ? (int)(at - text) + (abs(power) < 100) : 0,
            text);
}

// X: hexadecimal digits of a non-negative number.
static unsigned show_hexadecimal(const struct decimal *value,
                                 const char *format, bool fill, char *to) {
    bool zeros = *format == '0';
    size_t width = strspn(format, "0Xx");
    bool lower = strchr(format, 'x') != NULL;
    struct decimal rounded;
    int64_t integer;
    char digits[24];
    enum { INVALID_FORMAT = 1481 };
    if (format[width] || width > NUMBER_FORMAT || strrchr(format, '0') > format)
        return INVALID_FORMAT;
    if (!decimal_round(value, 0, &rounded) ||
        !decimal_to_integer(&rounded, &integer) || integer < 0)
        return 3001;
    int n = snprintf(digits, sizeof digits, lower ? "%0*llx" : "%0*llX",
                     zeros ? (int)(width < 20 ? width : 20) : 1,
                     (unsigned long long)integer);
    if ((size_t)n > width) {
        memset(to, '#', width + 1);
        to[width + 1] = '\0';
        return 0;
    }
    sprintf(to, "%*s", fill ? (int)width + 1 : 0, digits);
    return 0;
}

unsigned number_show(const struct decimal *value, const char *text, char *to) {
    struct number_format format;
    struct decimal rounded;
    char digits[NUMBER_SHOWN];
    const char *after_fm = text + (strncasecmp(text, "FM", 2) == 0 ? 2 : 0);
    if (strcasecmp(text, "TM9") == 0 || strcasecmp(text, "TM") == 0)
        return number_shown(value, to) ? 0 : 3001;
    if (*after_fm && strspn(after_fm, "0Xx") == strlen(after_fm) &&
        strpbrk(after_fm, "Xx"))
        return show_hexadecimal(value, after_fm, after_fm == text, to);
    if (strlen(text) >= NUMBER_FORMAT || !number_model_read(text, &format))
        return number_model_error(text);
    if (format.local && format.fill)
        return 3001; // its width is unknown
    if (format.exponent) {
        show_exponent(&format, value, to);
        return 0;
    }
    if (!decimal_round(value, (int)format.places, &rounded))
        return 1426;
    // A number that does not fit is shown as #.
    const bool overflow =
        rounded.count > 0 && rounded.point > (int)format.whole;
    char *end = digits + sizeof digits - 1, *at;
    *end = '\0';
    at = put_digits(&format, &rounded, end);
    // A number below 1 shows its zero if there is no other digit.
    if (at == end)
        *--at = '0';
    take_zeros(&format, at);
    if (format.dollar || format.local)
        *--at = '$';
    // A number that is rounded to zero keeps its sign.
    const bool negative = value->negative && value->count > 0;
    const size_t width =
        strlen(format.picture) + format.dollar + (format.local ? 10 : 0);
    char first[2] = "", last[2] = "";
    switch (format.sign) {
    case SIGN_MINUS:
        first[0] = negative ? '-' : format.fill ? ' ' : '\0';
        break;
    case SIGN_FIRST:
        first[0] = negative ? '-' : '+';
        break;
    case SIGN_LAST:
        last[0] = negative ? '-' : '+';
        break;
    case SIGN_MI:
        last[0] = negative ? '-' : format.fill ? ' ' : '\0';
        break;
    case SIGN_PR:
        first[0] = negative ? '<' : format.fill ? ' ' : '\0';
        last[0] = negative ? '>' : format.fill ? ' ' : '\0';
    }
    if (overflow) {
        size_t n =
            width + (first[0] || format.sign == SIGN_MINUS) + (last[0] != '\0');
        memset(to, '#', n);
        to[n] = '\0';
        return 0;
    }
    size_t length = strlen(at);
    size_t blanks = format.fill && width > length ? width - length : 0;
    sprintf(to, "%*s%s%s%s", (int)blanks, "", first, at, last);
    return 0;
}
