// SPDX-License-Identifier: GPL-2.0-or-later
// Placing uprobes takes CAP_PERFMON, on newer kernels CAP_SYS_ADMIN, and is
// needed throughout, while files of other users are read. So a child keeps that
// privilege. It can place only the uprobes of the command line, and ends with
// this process or when it is no longer needed.
//
// The child holds what it places, for a limited time: it removes uprobes at
// their deadline, whether or not this process runs. Where the child cannot run
// either, because it was stopped, the kernel kills it, which removes them.
#ifndef POLLTRACE_UPROBES_H
#define POLLTRACE_UPROBES_H

#include <stdbool.h>

#include "options/options.h"

#define UPROBE_PLACES 8 // processes that may have uprobes at one time

// `file` are the functions' files, open; `program` runs at their calls.
void uprobes_start(const struct options *options, const int *file, int program);

// Places all functions' uprobes in the memory of this process alone, for all
// its threads. 0; -1 with errno on failure, EPIPE: the child has ended.
int uprobes_place(unsigned place, int pid);

// Removes them. False when they were removed before, at their deadline.
bool uprobes_remove(unsigned place);

void uprobes_stop(void);

#endif
