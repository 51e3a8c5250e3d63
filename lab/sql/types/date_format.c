// SPDX-License-Identifier: GPL-2.0-or-later
// The elements of date format models.
#include "sql/types/date_format.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

struct date_formats session_date_formats = {
    .date = "DD-MON-RR",
    .timestamp = "DD-MON-RR HH.MI.SSXFF AM",
    .timestamp_tz = "DD-MON-RR HH.MI.SSXFF AM TZR",
};

static const struct {
    const char *text; // an element precedes those that are its prefixes
    enum date_element element;
    unsigned digits;
} elements[] = {
    {"FM", ELEMENT_FM, 0},
    {"FX", ELEMENT_UNIMPLEMENTED, 0},
    {"YYYY", ELEMENT_YEAR, 4},
    {"YYY", ELEMENT_YEAR, 3},
    {"YY", ELEMENT_YEAR, 2},
    {"RRRR", ELEMENT_RRRR, 4},
    {"RR", ELEMENT_RR, 2},
    {"RM", ELEMENT_UNIMPLEMENTED, 0},
    {"IYYY", ELEMENT_ISO_YEAR, 4},
    {"IYY", ELEMENT_ISO_YEAR, 3},
    {"IY", ELEMENT_ISO_YEAR, 2},
    {"IW", ELEMENT_IW, 2},
    {"Q", ELEMENT_QUARTER, 1},
    {"MONTH", ELEMENT_MONTH, 0},
    {"MON", ELEMENT_MON, 0},
    {"MM", ELEMENT_MM, 2},
    {"MI", ELEMENT_MI, 2},
    {"WW", ELEMENT_WW, 2},
    {"W", ELEMENT_W, 1},
    {"DDD", ELEMENT_DDD, 3},
    {"DD", ELEMENT_DD, 2},
    {"DAY", ELEMENT_DAY, 0},
    {"DY", ELEMENT_DY, 0},
    {"DS", ELEMENT_UNIMPLEMENTED, 0},
    {"DL", ELEMENT_UNIMPLEMENTED, 0},
    {"D", ELEMENT_D, 1},
    {"J", ELEMENT_J, 7},
    {"HH24", ELEMENT_HH24, 2},
    {"HH12", ELEMENT_HH12, 2},
    {"HH", ELEMENT_HH12, 2},
    {"SSSSS", ELEMENT_SSSSS, 5},
    {"SS", ELEMENT_SS, 2},
    {"SCC", ELEMENT_UNIMPLEMENTED, 0},
    {"SYYYY", ELEMENT_UNIMPLEMENTED, 0},
    {"SYEAR", ELEMENT_UNIMPLEMENTED, 0},
    {"CC", ELEMENT_UNIMPLEMENTED, 0},
    {"FF", ELEMENT_FF, 6},
    {"AM", ELEMENT_AM, 0},
    {"PM", ELEMENT_AM, 0},
    {"A.M.", ELEMENT_AM_DOTS, 0},
    {"P.M.", ELEMENT_AM_DOTS, 0},
    {"AD", ELEMENT_UNIMPLEMENTED, 0},
    {"A.D.", ELEMENT_UNIMPLEMENTED, 0},
    {"BC", ELEMENT_UNIMPLEMENTED, 0},
    {"B.C.", ELEMENT_UNIMPLEMENTED, 0},
    {"EE", ELEMENT_UNIMPLEMENTED, 0},
    {"E", ELEMENT_UNIMPLEMENTED, 0},
    {"TS", ELEMENT_UNIMPLEMENTED, 0},
    {"TZD", ELEMENT_UNIMPLEMENTED, 0},
    {"TZH", ELEMENT_TZH, 0},
    {"TZM", ELEMENT_TZM, 0},
    {"TZR", ELEMENT_TZR, 0},
    {"X", ELEMENT_X, 0},
    {"YEAR", ELEMENT_UNIMPLEMENTED, 0},
    {"Y,YYY", ELEMENT_UNIMPLEMENTED, 0},
    {"Y", ELEMENT_YEAR, 1},
    {"I", ELEMENT_ISO_YEAR, 1},
};

struct date_token date_token_next(const char **format) {
    const char *position = *format;
    struct date_token token = {.element = ELEMENT_END, .at = position};
    if (!*position)
        return token;
    if (*position == '"') {
        const char *close = strchr(position + 1, '"');
        token.at = position + 1;
        token.length = close ? (size_t)(close - position) - 1 : 0;
        token.element = close ? ELEMENT_LITERAL : ELEMENT_UNKNOWN;
        *format = close ? close + 1 : position + strlen(position);
        return token;
    }
    if (strchr("-/,.;: ", *position)) {
        token.element = ELEMENT_LITERAL;
        token.length = 1;
        *format = position + 1;
        return token;
    }
    token.element = ELEMENT_UNKNOWN;
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
        size_t length = strlen(elements[i].text);
        if (strncasecmp(position, elements[i].text, length) != 0)
            continue;
        token.element = elements[i].element;
        token.digits = elements[i].digits;
        token.length = length;
        break;
    }
    position += token.length;
    if (token.element == ELEMENT_FF && *position >= '1' && *position <= '9') {
        token.digits = (unsigned)(*position++ - '0');
        token.length++;
    }
    // DDTH and YYYYSP: ordinals and numbers spelled out.
    if (token.digits > 0 && (strncasecmp(position, "TH", 2) == 0 ||
                             strncasecmp(position, "SP", 2) == 0))
        token.element = ELEMENT_UNIMPLEMENTED;
    *format = position;
    return token;
}
