// SPDX-License-Identifier: GPL-2.0-or-later
// A parsed format model for numbers.
#ifndef ORALAB_NUMBER_MODEL_H
#define ORALAB_NUMBER_MODEL_H

#include "sql/types/number_format.h"

struct number_format {
    char picture[NUMBER_FORMAT]; // 9 0 , and one . (for D too)
    unsigned places;             // digits right of the point
    unsigned whole;              // digits left of it
    bool fill;                   // not FM
    bool dollar, local;          // $ and L
    enum { SIGN_MINUS, SIGN_FIRST, SIGN_LAST, SIGN_MI, SIGN_PR } sign;
    bool exponent;
};

// False if the format is invalid or not supported.
bool number_model_read(const char *text, struct number_format *format);
// Why not: ORA-01481, or ORA-03001 for elements of Oracle's.
unsigned number_model_error(const char *text);

#endif
