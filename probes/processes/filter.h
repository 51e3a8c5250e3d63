// SPDX-License-Identifier: GPL-2.0-or-later
// Which processes are wanted, by name and cgroup.
#ifndef POLLTRACE_FILTER_H
#define POLLTRACE_FILTER_H

#include <stdbool.h>

#include "options/options.h"

// Both end the program when the pattern or directory is no good.
void filter_init(const struct options *options);
void filter_refresh(void); // reads the cgroup's members

bool filter_is_set(void);
// Calls `take` with each running process that is wanted, but ourselves.
void filter_each(void (*take)(void *argument, int pid), void *argument);
// `comm` serves for a process that is gone already.
bool filter_wants(int pid, const char *comm);

#endif
