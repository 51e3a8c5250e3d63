// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef POLLTRACE_STRIDES_H
#define POLLTRACE_STRIDES_H

#include "processes/watched.h"

// The kernel side moves the automatic stride when it takes a stack. A process
// that polled fast and now polls slowly would be long without one: its stride
// is shortened from here.
void strides_follow(struct watched *watched, uint64_t now_ns);

#endif
