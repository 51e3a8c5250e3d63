// SPDX-License-Identifier: GPL-2.0-or-later
// The fields of a call in the order in which Oracle writes them. Each key is a
// constant, so that none is looked up.
#pragma once

#include "numbers.h"
#include "record.h"

enum digits { ONE_DIGIT, SHORT, LONG };

// The key `text` at *at, if it is there, with its number and the comma behind
// it. False where nothing else can follow in this way.
static inline __attribute__((always_inline)) bool
take_field(const char **at, const char *text, size_t len, enum field field,
           struct record *to, uint32_t *has, enum digits digits,
           struct known_digits *known) {
    if (memcmp(*at, text, len) != 0)
        return true;
    const char *digits_at = *at + len;
    int64_t value;
    if (!(digits == LONG    ? read_long_number(&digits_at, &value, known)
          : digits == SHORT ? read_short_number(&digits_at, &value)
                            : read_one_digit(&digits_at, &value)))
        return false;
    to->field[field] = value;
    *has |= 1u << field;
    *at = digits_at + (*digits_at == ',');
    return *digits_at == ',';
}

// Those of which a release lacks some, with a comma alone between them; *at is
// left at the first that is not. False where the fields end.
static inline __attribute__((always_inline)) bool
read_usual_fields(const char **at, struct record *to,
                  struct long_numbers *known) {
    const char *p = *at;
    uint32_t has = 0;
#define TAKE(text, field, digits, long_number)                                 \
    take_field(&p, text, sizeof(text) - 1, field, to, &has, digits, long_number)
    (void)(TAKE("c=", FIELD_C, SHORT, NULL) &&
           TAKE("e=", FIELD_E, SHORT, NULL) &&
           TAKE("p=", FIELD_P, ONE_DIGIT, NULL) &&
           TAKE("cr=", FIELD_CR, ONE_DIGIT, NULL) &&
           TAKE("cu=", FIELD_CU, ONE_DIGIT, NULL) &&
           TAKE("mis=", FIELD_MIS, ONE_DIGIT, NULL) &&
           TAKE("r=", FIELD_R, ONE_DIGIT, NULL) &&
           TAKE("dep=", FIELD_DEP, ONE_DIGIT, NULL) &&
           TAKE("og=", FIELD_OG, ONE_DIGIT, NULL) &&
           TAKE("plh=", FIELD_PLH, LONG, &known->plh) &&
           TAKE("type=", FIELD_TYPE, ONE_DIGIT, NULL) &&
           TAKE("tim=", FIELD_TIM, LONG, &known->tim));
#undef TAKE
    to->has |= has;
    const bool ended = p > *at && p[-1] != ',' && *p != ' ';
    *at = p;
    return !ended;
}
