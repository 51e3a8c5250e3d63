// SPDX-License-Identifier: GPL-2.0-or-later
// The session of a record, by the "*** ...:(...)" lines before it.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum identity_text {
    CLIENT_ID,
    SERVICE,
    MODULE,
    ACTION,
    DRIVER,
    CONTAINER,
    IDENTITY_TEXTS
};

enum { LONGEST_IDENTITY = 256 };

struct identity {
    uint32_t refs;
    uint32_t batch, index; // where the batch that is made has it
    int64_t sid, serial, pid;
    char text[IDENTITY_TEXTS][LONGEST_IDENTITY];
    uint16_t len[IDENTITY_TEXTS];
};

struct identity *identity_new(void);

// A copy of one reference, to be changed: rows of the other stay as they are.
struct identity *identity_copy(const struct identity *from);

void identity_release(struct identity *identity);

// Microseconds since 1970 of "2023-08-30T23:05:42.454039+00:00" or "2008-02-29
// 07:43:11.461" at `at`, in UTC where an offset is given, else as it is
// written. False where it is none.
bool read_timestamp(const char *at, const char *end, int64_t *us);

// The value of "*** NAME:(value) timestamp", which may hold brackets. NULL
// where the line is of another kind; *after is behind the bracket.
const char *read_value_of(const char *name, const char *at, const char *end,
                          size_t *len, const char **after);
