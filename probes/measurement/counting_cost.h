// SPDX-License-Identifier: GPL-2.0-or-later
// The time that counting adds to one break poll on this host, measured on this
// process's own polls.
#ifndef POLLTRACE_COUNTING_COST_H
#define POLLTRACE_COUNTING_COST_H

#include "processes/watched.h"

// Nanoseconds per poll. Attaches and detaches.
double counting_cost_ns(struct watched *watched);

#endif
