// SPDX-License-Identifier: GPL-2.0-or-later
// The ways to attach, best first; the last one is for special kernels.
#ifndef POLLTRACE_VARIANTS_H
#define POLLTRACE_VARIANTS_H

#include <stdbool.h>

#include "options/options.h"

#define VARIANTS 4
#define MAX_PROGRAMS 13

// A BPF program, which the object holds as `name` and as `name_cast`.
struct variant_program {
    const char *name;
    enum check_call call; // the system call that it is attached to; 0: all
    bool optional;        // some kernels lack the function of the kernel
};

// Lists of programs end with a name that is NULL.
struct variant {
    const char *name;
    struct variant_program enter[MAX_PROGRAMS]; // calls that may be break polls
    struct variant_program leave[MAX_PROGRAMS]; // in addition, in time mode
    struct variant_program all[MAX_PROGRAMS];   // instead, in syscalls mode
    struct variant_program off[MAX_PROGRAMS];   // instead, in off-CPU mode
    bool trampolines; // programs are called from the kernel's functions
    bool kprobes;     // programs get registers from before they were called
};

extern const struct variant VARIANT[VARIANTS];

// Whether a variant can measure in this mode.
bool variant_has_mode(const struct variant *variant, enum mode mode);

// Fills `list`, of 2 * MAX_PROGRAMS, with the programs that the variant needs
// in this mode; returns their number.
unsigned variant_programs(const struct variant *variant, enum mode mode,
                          const struct variant_program *list[]);

#endif
