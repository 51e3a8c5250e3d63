// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/types/interval.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "sql/types/value.h"

enum {
    DAY = 86400,
    GIGA = 1000000000,
    BIAS = 60,
    INVALID = 1867,
    LEADING_TOO_SMALL = 1873,
    MOST_DIGITS = 9,
};

static const uint32_t WIDE_BIAS = 0x80000000;

enum interval_field interval_field_named(const char *word, size_t length) {
    static const char *const names[] = {"year", "month",  "day",
                                        "hour", "minute", "second"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length &&
            strncasecmp(names[i], word, length) == 0)
            return (enum interval_field)i;
    return FIELD_NONE;
}

static int64_t seconds_in(enum interval_field field) {
    return field == FIELD_DAY      ? DAY
           : field == FIELD_HOUR   ? 3600
           : field == FIELD_MINUTE ? 60
                                   : 1;
}

// Digits, of which there are at most `most`; false: there are none or more.
static bool take_digits(const char **at, const char *end, unsigned most,
                        int64_t *to) {
    unsigned digits = 0;
    for (*to = 0; *at < end && isdigit((unsigned char)**at); ++*at) {
        digits += digits > 0 || **at != '0';
        if (digits > most)
            return false;
        *to = *to * 10 + (**at - '0');
    }
    return true;
}

// ".5": nanoseconds, rounded to `digits`.
static bool take_fraction(const char **at, const char *end, unsigned digits,
                          int64_t *to) {
    int64_t unit = GIGA, step = GIGA;
    *to = 0;
    if (*at == end || **at != '.')
        return true;
    for (++*at; *at < end && isdigit((unsigned char)**at); ++*at) {
        unit /= 10;
        *to += unit * (**at - '0');
    }
    for (unsigned i = 0; i < digits; i++)
        step /= 10;
    *to = (*to + step / 2) / step * step;
    return true;
}

// The text between a field and the next one.
static char mark_before(enum interval_field field) {
    return field == FIELD_MONTH ? '-' : field == FIELD_HOUR ? ' ' : ':';
}

static unsigned most_of(enum interval_field field) {
    return field == FIELD_MONTH ? 11 : field == FIELD_HOUR ? 23 : 59;
}

static unsigned error_of(enum interval_field field) {
    return field == FIELD_MONTH    ? 1843
           : field == FIELD_HOUR   ? 1850
           : field == FIELD_MINUTE ? 1851
                                   : 1852;
}

static void add_field(struct interval *to, enum interval_field field,
                      int64_t value) {
    to->count += field == FIELD_YEAR    ? value * 12
                 : field == FIELD_MONTH ? value
                                        : value * seconds_in(field);
}

unsigned interval_parse(const char *text, size_t length,
                        const struct interval_fields *fields,
                        struct interval *to) {
    const char *position = text, *end = text + length;
    int64_t value, nanoseconds = 0;
    *to = (struct interval){.months = fields->last <= FIELD_MONTH};
    while (end > position && end[-1] == ' ')
        end--;
    while (position < end && *position == ' ')
        position++;
    const bool negative = position < end && *position == '-';
    position += position < end && (*position == '-' || *position == '+');
    for (enum interval_field field = fields->first; field <= fields->last;
         field++) {
        const bool leads = field == fields->first;
        if (!leads && (position == end || *position++ != mark_before(field)))
            return INVALID;
        if (position == end || !isdigit((unsigned char)*position))
            return INVALID;
        if (!take_digits(&position, end, leads ? fields->digits : MOST_DIGITS,
                         &value))
            return LEADING_TOO_SMALL;
        if (!leads && value > most_of(field))
            return error_of(field);
        add_field(to, field, value);
    }
    if (fields->last == FIELD_SECOND &&
        !take_fraction(&position, end, fields->fraction, &nanoseconds))
        return INVALID;
    if (position < end)
        return INVALID;
    to->count += nanoseconds / GIGA;
    to->nanosecond = (int32_t)(nanoseconds % GIGA);
    if (negative) {
        to->count = -to->count;
        to->nanosecond = -to->nanosecond;
    }
    return 0;
}

bool interval_valid(const struct interval *interval) {
    const int64_t limit = (int64_t)GIGA * (interval->months ? 12 : DAY);
    return interval->count > -limit && interval->count < limit;
}

struct decimal interval_to_decimal(const struct interval *interval) {
    const struct decimal giga = decimal_from_integer(GIGA);
    struct decimal total = decimal_from_integer(interval->count);
    struct decimal fraction = decimal_from_integer(interval->nanosecond);
    decimal_divide(&fraction, &giga, &fraction);
    decimal_add(&total, &fraction, &total);
    return total;
}

bool interval_from_decimal(const struct decimal *number, bool months,
                           struct interval *to) {
    const struct decimal giga = decimal_from_integer(GIGA);
    struct decimal whole_units, rest;
    int64_t nanoseconds;
    *to = (struct interval){.months = months};
    if (months)
        return decimal_round(number, 0, &whole_units) &&
               decimal_to_integer(&whole_units, &to->count);
    if (!decimal_round(number, 9, &rest))
        return false;
    decimal_truncate(&rest, 0, &whole_units);
    if (!decimal_subtract(&rest, &whole_units, &rest) ||
        !decimal_multiply(&rest, &giga, &rest) ||
        !decimal_to_integer(&whole_units, &to->count) ||
        !decimal_to_integer(&rest, &nanoseconds))
        return false;
    to->nanosecond = (int32_t)nanoseconds;
    return true;
}

unsigned interval_of(const struct decimal *number, enum interval_field unit,
                     struct interval *to) {
    const bool months = unit <= FIELD_MONTH;
    const struct decimal unit_seconds =
        decimal_from_integer(unit == FIELD_YEAR ? 12
                             : months           ? 1
                                                : seconds_in(unit));
    struct decimal all;
    return decimal_multiply(number, &unit_seconds, &all) &&
                   interval_from_decimal(&all, months, to) && interval_valid(to)
               ? 0
               : LEADING_TOO_SMALL;
}

bool interval_extract(const struct interval *interval,
                      enum interval_field field, struct decimal *to) {
    const int64_t count = interval->count;
    struct interval second = {.count = count % 60,
                              .nanosecond = interval->nanosecond};
    if ((field <= FIELD_MONTH) != interval->months)
        return false;
    if (field == FIELD_SECOND)
        *to = interval_to_decimal(&second);
    else
        *to = decimal_from_integer(field == FIELD_YEAR     ? count / 12
                                   : field == FIELD_MONTH  ? count % 12
                                   : field == FIELD_DAY    ? count / DAY
                                   : field == FIELD_HOUR   ? count / 3600 % 24
                                   : field == FIELD_MINUTE ? count / 60 % 60
                                                           : 0);
    return true;
}

static void put_word(uint8_t *to, int64_t value) {
    const uint32_t word = (uint32_t)value + WIDE_BIAS;
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(word >> (24 - 8 * i));
}

static int64_t word_at(const uint8_t *from) {
    uint32_t word = 0;
    for (int i = 0; i < 4; i++)
        word = word << 8 | from[i];
    return (int64_t)word - WIDE_BIAS;
}

void interval_write(const struct interval *interval, uint8_t *to,
                    size_t bytes) {
    const int64_t count = interval->count;
    memset(to, 0, bytes);
    if (interval->months) {
        put_word(to, count / 12);
        to[4] = (uint8_t)(count % 12 + BIAS);
        return;
    }
    put_word(to, count / DAY);
    to[4] = (uint8_t)(count / 3600 % 24 + BIAS);
    to[5] = (uint8_t)(count / 60 % 60 + BIAS);
    to[6] = (uint8_t)(count % 60 + BIAS);
    put_word(to + 7, interval->nanosecond);
}

bool interval_read(const uint8_t *from, size_t bytes, struct interval *to) {
    *to = (struct interval){.months = bytes == INTERVAL_YM_BYTES};
    if (bytes != INTERVAL_YM_BYTES && bytes != INTERVAL_DS_BYTES)
        return false;
    if (to->months) {
        to->count = word_at(from) * 12 + from[4] - BIAS;
        return true;
    }
    to->count = word_at(from) * DAY + (from[4] - BIAS) * 3600 +
                (from[5] - BIAS) * 60 + from[6] - BIAS;
    to->nanosecond = (int32_t)word_at(from + 7);
    return true;
}
