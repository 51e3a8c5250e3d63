// SPDX-License-Identifier: GPL-2.0-or-later
// TO_NUMBER(text, format)
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sql/types/number_model.h"

enum { INVALID_NUMBER = 1722 };

unsigned number_parse(const char *text, size_t length, const char *picture,
                      struct decimal *to) {
    struct number_format format;
    char digits[NUMBER_FORMAT];
    size_t n = 0;
    bool negative = false, overflow, point = false;
    unsigned integer_digits = 0, places = 0;
    if (strlen(picture) >= NUMBER_FORMAT ||
        !number_model_read(picture, &format) || format.exponent)
        return number_model_error(picture);
    while (length > 0 && *text == ' ') {
        text++;
        length--;
    }
    while (length > 0 && text[length - 1] == ' ')
        length--;
    if (length > 1 && format.sign == SIGN_PR && *text == '<' &&
        text[length - 1] == '>') {
        negative = true;
        text++;
        length -= 2;
    } else if (length > 0 && (*text == '-' || *text == '+') &&
               (format.sign == SIGN_MINUS || format.sign == SIGN_FIRST)) {
        negative = *text == '-';
        text++;
        length--;
    } else if (length > 0 &&
               (text[length - 1] == '-' || text[length - 1] == '+') &&
               (format.sign == SIGN_LAST || format.sign == SIGN_MI)) {
        negative = text[length - 1] == '-';
        length--;
    }
    if (length > 0 && *text == '$' && (format.dollar || format.local)) {
        text++;
        length--;
    }
    for (size_t i = 0; i < length; i++) {
        if (text[i] == ',' && strchr(format.picture, ',') && !point)
            continue;
        if (text[i] == '.' && strchr(format.picture, '.') && !point)
            point = true;
        else if (!isdigit((unsigned char)text[i]))
            return INVALID_NUMBER;
        else if (point)
            places++;
        else
            integer_digits++;
        if (n + 1 >= sizeof digits)
            return INVALID_NUMBER;
        digits[n++] = text[i];
    }
    if (integer_digits > format.whole || places > format.places ||
        !decimal_from_text(digits, n, to, &overflow))
        return INVALID_NUMBER;
    to->negative = negative && to->count > 0;
    return 0;
}
