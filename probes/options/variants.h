// SPDX-License-Identifier: GPL-2.0-or-later
// The ways to attach, best first; the last one is for special kernels.
#ifndef POLLTRACE_VARIANTS_H
#define POLLTRACE_VARIANTS_H

#include <stdbool.h>

#include "options/options.h"

#define VARIANTS 4
#define MAX_PROGRAMS 13

// The names of its programs, without _cast.
struct variant {
    const char *name;
    const char *count[MAX_PROGRAMS];
    const char *calls[MAX_PROGRAMS]; // in addition: the calls besides poll
    const char *leave[MAX_PROGRAMS]; // in addition, in time mode
    const char *all[MAX_PROGRAMS];   // instead, in syscalls mode
    const char *off[MAX_PROGRAMS];   // instead, in off-CPU mode
    bool misses_32bit;               // `count` sees no 32-bit system calls
};

extern const struct variant VARIANT[VARIANTS];

// Whether `program` (without _cast) is part of the variant in this mode.
bool variant_uses(const struct variant *variant, const char *program,
                  enum mode mode);

#endif
