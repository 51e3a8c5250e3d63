// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef POLLTRACE_WORK_H
#define POLLTRACE_WORK_H

#include <poll.h>

// Work of a memory footprint in 32-bit words, a power of two up to WORDS.
#define WORDS (512u * 1024)

void work_prepare(void);
void work(unsigned steps, unsigned words);

// As a break check is made: deep in a call stack, which then unwinds. No
// socket, no poll.
void deep_poll(struct pollfd *socket);

#endif
