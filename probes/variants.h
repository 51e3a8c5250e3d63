// SPDX-License-Identifier: GPL-2.0-or-later
// The ways to attach, best first.
#ifndef POLLTRACE_VARIANTS_H
#define POLLTRACE_VARIANTS_H

#include <stdbool.h>

#include "options.h"

#define VARIANTS 4
#define MAX_PROGRAMS 4

struct variant {
    const char *name;
    const char *count[MAX_PROGRAMS];
    const char *leave[MAX_PROGRAMS]; // besides, in time mode
    const char *all[MAX_PROGRAMS];   // instead, in syscalls mode
};

extern const struct variant VARIANT[VARIANTS];

// Whether `program` (without _cast) is part of the variant in this mode.
bool variant_uses(const struct variant *variant, const char *program,
                  enum mode mode);

#endif
