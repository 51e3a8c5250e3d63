// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef POLLTRACE_WORK_H
#define POLLTRACE_WORK_H

#include <poll.h>

// The largest memory footprint, in 32-bit words.
#define WORDS (512u * 1024)

void work_prepare(void);
// `words` is the footprint in 32-bit words, a power of two up to WORDS.
void work(unsigned steps, unsigned words);

// Polls as a break check does: deep in a call stack, which then unwinds.
// NULL: makes the calls without a poll.
void deep_poll(struct pollfd *socket);

#endif
