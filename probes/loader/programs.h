// SPDX-License-Identifier: GPL-2.0-or-later
// Which BPF programs are loaded, and how they are attached.
#ifndef POLLTRACE_PROGRAMS_H
#define POLLTRACE_PROGRAMS_H

#include "loader/loader.h"

// Marks the programs to load, for the probe's variant and the options' mode,
// and lists in `probe` those that attach.h attaches.
void programs_choose(struct probe *probe, const struct options *options);

// The kernel's function that a program is attached to, by its section's name.
const char *program_function(const struct bpf_program *program);

#endif
