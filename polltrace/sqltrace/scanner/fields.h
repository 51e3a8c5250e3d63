// SPDX-License-Identifier: GPL-2.0-or-later
// The fields of one line.
#pragma once

#include "numbers.h"
#include "record.h"

// The fields of PARSE, EXEC, CLOSE, a LOB call and their like, "c=8,e=8,...".
// Returns where they end; the rest of the line is another record's.
const char *read_call(const char *at, const char *end, struct record *to,
                      struct long_numbers *known);

struct text {
    const char *at;
    size_t len;
};

// The fields after "WAIT #n:", and the event's name. NULL where it is no wait.
const char *read_wait(const char *at, const char *end, bool parameters,
                      struct record *to, struct text *name,
                      struct long_numbers *known);

// The value after " name=" or ",name=" between `at` and `end`.
bool find_number(const char *at, const char *end, const char *name,
                 int64_t *value);
