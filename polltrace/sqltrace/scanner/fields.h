// SPDX-License-Identifier: GPL-2.0-or-later
// The fields of one line.
#pragma once

#include "record.h"

// A whole number at *at, with a sign perhaps; *at is left behind it. One of 64
// bits that has no sign wraps, as Oracle's own do. False where there is none,
// or one that is longer.
bool read_number(const char **at, int64_t *value);

// The first eight digits of a long number as they were written last, and their
// value: those of tim change once in a second or less, those of a plan's hash
// value with the statement.
struct known_digits {
    uint64_t text, value;
};

static const struct known_digits NO_KNOWN_DIGITS = {
    .text = 0x3030303030303030, // eight zeros
};

struct long_numbers {
    struct known_digits tim, plh;
};

// The fields of PARSE, EXEC, CLOSE, a LOB call and their like, "c=8,e=8,...".
// Returns where they end; the rest of the line is another record's.
const char *read_call(const char *at, const char *end, struct record *to,
                      struct long_numbers *known);

struct text {
    const char *at;
    size_t len;
};

// What follows "WAIT #n:", and the event's name. NULL where it is no wait.
const char *read_wait(const char *at, const char *end, bool parameters,
                      struct record *to, struct text *name,
                      struct long_numbers *known);

// The value after " name=" or ",name=" between `at` and `end`.
bool find_number(const char *at, const char *end, const char *name,
                 int64_t *value);
