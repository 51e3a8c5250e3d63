// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "sql/types/number_model.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool number_model_read(const char *text, struct number_format *format) {
    size_t n = 0;
    bool point = false, ended = false;
    *format = (struct number_format){.fill = true};
    if (strncasecmp(text, "FM", 2) == 0) {
        format->fill = false;
        text += 2;
    }
    for (const char *at = text; *at; at++) {
        char c = (char)toupper((unsigned char)*at);
        if (n + 2 >= sizeof format->picture || ended)
            return false;
        switch (c) {
        case '9':
        case '0':
            format->picture[n++] = c;
            if (point)
                format->places++;
            else
                format->whole++;
            break;
        case ',':
        case 'G':
            if (point || n == 0)
                return false;
            format->picture[n++] = ',';
            break;
        case '.':
        case 'D':
            if (point)
                return false;
            point = true;
            format->picture[n++] = '.';
            break;
        case '$':
            if (format->dollar || format->local)
                return false;
            format->dollar = true;
            break;
        case 'L':
            if (format->dollar || format->local || at != text)
                return false;
            format->local = true;
            break;
        case 'S':
            if (format->sign)
                return false;
            format->sign = at == text ? SIGN_FIRST : SIGN_LAST;
            ended = at != text;
            break;
        case 'M':
        case 'P':
            if (format->sign || strcasecmp(at, c == 'M' ? "MI" : "PR") != 0)
                return false;
            format->sign = c == 'M' ? SIGN_MI : SIGN_PR;
            at++;
            ended = true;
            break;
        case 'E':
            if (format->exponent || strncasecmp(at, "EEEE", 4) != 0 ||
                format->whole == 0)
                return false;
            format->exponent = true;
            at += 3;
            break;
        default:
            return false;
        }
    }
    if (format->exponent && (strchr(format->picture, ',') || format->dollar ||
                             format->local || format->sign))
        return false;
    return format->whole + format->places > 0;
}

unsigned number_model_error(const char *text) {
    enum { INVALID_FORMAT = 1481, UNIMPLEMENTED = 3001 };
    static const char elements[] =
        "0123456789,.$BCDEFGILMNPRSTUVXbcdefgilmnprstuvx";
    const bool is_known = strspn(text, elements) == strlen(text);
    const bool not_here = strpbrk(text, "BbCcUuVvXx") ||
                          strcasestr(text, "RN") || strcasestr(text, "EEEE");
    return is_known && not_here ? UNIMPLEMENTED : INVALID_FORMAT;
}
