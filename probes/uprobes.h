// SPDX-License-Identifier: GPL-2.0-or-later
// Placing uprobes takes CAP_PERFMON, on newer kernels CAP_SYS_ADMIN, and comes
// up again and again while others' files are read. So a child keeps that
// privilege, knows only how to place the uprobes of the command line, and ends
// with us or when it is no longer needed.
#ifndef POLLTRACE_UPROBES_H
#define POLLTRACE_UPROBES_H

#include "options.h"

// `file` are the functions' files, open; `program` runs at their calls.
void uprobes_start(const struct options *options, const int *file, int program);

// In the memory of this process alone, for all its threads. The descriptor of
// what is placed, to be closed to take it out; -1 with errno.
int uprobes_open(unsigned function, int pid);

void uprobes_stop(void);

#endif
