// SPDX-License-Identifier: GPL-2.0-or-later
// The values of one BINDS record.
#pragma once

#include "strings.h"

enum { REPEATED_BIND = -1 }; // a placeholder that came before: no type

struct binds {
    struct strings values;
    struct bind {
        int32_t value; // of `values`; -1: NULL
        int16_t type;  // oacdty; REPEATED_BIND
    } * bind;
    size_t count, room;
    bool open; // the last value goes on where the next lines begin
};

// Add the binds of the lines [at, end) after "BINDS #n:"; those beyond 65,535
// or 1 MiB are left out. False where there is no memory.
bool binds_read(struct binds *to, const char *at, const char *end);

// The quote that closes a value in the line [at, eol): the line's last byte, or
// the one before the next bind, which Oracle sometimes writes on the same
// line. NULL where the value goes on.
const char *value_end(const char *at, const char *eol);

void binds_free(struct binds *binds);
