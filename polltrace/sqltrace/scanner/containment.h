// SPDX-License-Identifier: GPL-2.0-or-later
// Which call contains which call and wait. Records come in the order in which
// they end, so a call's own come before it: they are those on top of the stack
// whose interval lies within its interval.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct span {
    int64_t begin, end; // us
    int64_t c, e;       // of a call, with those in it
    int64_t waits;      // of a wait, or of all that a call contains
    int64_t line;       // of the first record that it contains, or its own
    int32_t dep;        // -1: a wait
};

struct contained {
    int64_t c, e;  // of the calls directly in it
    int64_t waits; // of all waits in it
    int64_t line;  // of the first record in it; 0: nothing is in it
};

// Recursive calls that no call contains: of a logoff, a commit, the client
// result cache. They belong to no record.
struct orphans {
    int64_t calls, c, e;
};

struct containment {
    struct span *span;
    size_t count, room;
    struct orphans orphans;
};

// The next place on the stack, which the caller fills: a span that is built
// elsewhere and copied costs more than all else here. NULL: no memory.
struct span *containment_push(struct containment *in);

// Add a call after moving the spans in it from the stack into `found`.
bool containment_add_call(struct containment *in, const struct span *call,
                          struct contained *found);

// At the end of a trace nothing contains the spans that remain.
void containment_end(struct containment *in);
