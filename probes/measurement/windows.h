// SPDX-License-Identifier: GPL-2.0-or-later
// Counting in short windows at random moments, and the rates that follow.
#ifndef POLLTRACE_WINDOWS_H
#define POLLTRACE_WINDOWS_H

#include "processes/watched.h"

// When the next window is due, drawn at random around the mean gap.
uint64_t window_next(uint64_t now_ns, const struct options *options);

// Attaches, counts for the length of a window, detaches. False when it could
// not attach.
bool window_run(struct watched *watched, double cost_ns);

#endif
