// SPDX-License-Identifier: GPL-2.0-or-later
// Counts the calls of a user function per break poll, for a short time. A
// uprobe is a breakpoint that the kernel writes into the process's own copy of
// the page; each call then costs a microsecond, so it is placed briefly and
// only after the process was seen to poll. The kernel removes it when its
// descriptor is closed, however this process ends.
#ifndef POLLTRACE_BURSTS_H
#define POLLTRACE_BURSTS_H

#include <stdbool.h>
#include <stdint.h>

#include "processes/watched.h"

// Checks that functions begin at the offsets given. Drops one that is given
// twice, by whatever path.
void bursts_check(struct options *options);

// Before the privileges are given up.
void bursts_prepare(const struct watched *watched);

// Begins and ends bursts. Returns the time of the next call, UINT64_MAX: none.
uint64_t bursts_step(struct watched *watched, uint64_t now);

// Whether one is under way.
bool bursts_run(void);

// Ends those under way and keeps their counts.
void bursts_end(struct watched *watched);

#endif
