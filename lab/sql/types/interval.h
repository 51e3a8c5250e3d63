// SPDX-License-Identifier: GPL-2.0-or-later
// INTERVAL YEAR TO MONTH and DAY TO SECOND: a number of months, or of seconds.
#ifndef ORALAB_INTERVAL_H
#define ORALAB_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sql/types/decimal.h"

enum interval_field {
    FIELD_YEAR,
    FIELD_MONTH,
    FIELD_DAY,
    FIELD_HOUR,
    FIELD_MINUTE,
    FIELD_SECOND,
    FIELD_NONE, // the word is none of them
};

struct interval {
    bool months;        // its unit, else seconds
    int64_t count;      // of that unit
    int32_t nanosecond; // with the sign of `count`
};

// The fields of a literal: from the first one to the last one, and
// the digits of the first one and of a fraction of seconds.
struct interval_fields {
    enum interval_field first, last;
    unsigned digits, fraction;
};

enum interval_field interval_field_named(const char *word, size_t length);
// Reads a literal. Returns 0 or an ORA- error's number.
unsigned interval_parse(const char *text, size_t length,
                        const struct interval_fields *fields,
                        struct interval *to);
// A number of years, days, hours ... Returns 0 or an ORA- error's number.
unsigned interval_of(const struct decimal *number, enum interval_field unit,
                     struct interval *to);
// Whether its years or days have at most nine digits: else it is ORA-01873.
bool interval_valid(const struct interval *interval);
// A field as EXTRACT has it; false if there is none in such an interval.
bool interval_extract(const struct interval *interval,
                      enum interval_field field, struct decimal *to);
// Seconds or months, as a number, and back.
struct decimal interval_to_decimal(const struct interval *interval);
bool interval_from_decimal(const struct decimal *number, bool months,
                           struct interval *to);
// The bytes in SQLite, of which there are `bytes`.
void interval_write(const struct interval *interval, uint8_t *to, size_t bytes);
bool interval_read(const uint8_t *from, size_t bytes, struct interval *to);

#endif
