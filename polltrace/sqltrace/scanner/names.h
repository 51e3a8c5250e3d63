// SPDX-License-Identifier: GPL-2.0-or-later
// The names of calls and events that a block has. They are found as its lines
// are read: later, a name would have left the processor's cache.
#pragma once

#include "strings.h"

struct names {
    struct strings strings;
    int32_t *slot; // by hash: an index into strings, or -1
    size_t slots;
};

// Forget all names. False where there is no memory.
bool names_clear(struct names *names);

// The index of a name, which is added where it is new; -1: no memory.
int32_t names_find(struct names *names, const char *name, size_t len);

void names_free(struct names *names);
