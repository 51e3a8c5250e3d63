// SPDX-License-Identifier: GPL-2.0-or-later
// Conversion between points in time and text by Oracle's format models.
#ifndef ORALAB_DATE_FORMAT_H
#define ORALAB_DATE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

#include "sql/types/oracle_date.h"

enum { DATE_FORMAT = 64 };

// The session's formats; a process has one session.
struct date_formats {
    char date[DATE_FORMAT], timestamp[DATE_FORMAT], timestamp_tz[DATE_FORMAT];
};
extern struct date_formats session_date_formats;

enum date_element {
    ELEMENT_END,
    ELEMENT_LITERAL, // quoted text, or punctuation
    ELEMENT_FM,
    ELEMENT_YEAR, // `digits` digits
    ELEMENT_RR,
    ELEMENT_RRRR,
    ELEMENT_ISO_YEAR,
    ELEMENT_QUARTER,
    ELEMENT_MM,
    ELEMENT_MON,
    ELEMENT_MONTH,
    ELEMENT_WW,
    ELEMENT_IW,
    ELEMENT_W,
    ELEMENT_DDD,
    ELEMENT_DD,
    ELEMENT_D,
    ELEMENT_DY,
    ELEMENT_DAY,
    ELEMENT_J,
    ELEMENT_HH24,
    ELEMENT_HH12,
    ELEMENT_MI,
    ELEMENT_SS,
    ELEMENT_SSSSS,
    ELEMENT_FF, // `digits` digits
    ELEMENT_AM,
    ELEMENT_AM_DOTS,
    ELEMENT_X,
    ELEMENT_TZH,
    ELEMENT_TZM,
    ELEMENT_TZR,
    ELEMENT_UNIMPLEMENTED, // one of Oracle's that is not here
    ELEMENT_UNKNOWN,
};

struct date_token {
    enum date_element element;
    unsigned digits;
    const char *at; // its text in the format
    size_t length;
};

// Returns the next element of a format and moves *format past it.
struct date_token date_token_next(const char **format);

// Each returns an ORA- number, or 0. `bytes` is the size of the value's type;
// see oracle_date.h.
unsigned date_show(const struct oracle_date *date, size_t bytes,
                   const char *format, char *to, size_t size);
// `fraction`: the format may contain fractional seconds.
unsigned date_parse(const char *text, size_t length, const char *format,
                    bool fraction, struct oracle_date *date);

#endif
