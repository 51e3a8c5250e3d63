// SPDX-License-Identifier: GPL-2.0-or-later
// What counting adds to one break poll on this host, measured on ourselves.
#ifndef POLLTRACE_CALIBRATE_H
#define POLLTRACE_CALIBRATE_H

#include "watched.h"

// Nanoseconds per poll. Attaches and detaches.
double calibrate_cost_ns(struct watched *watched,
                         const struct options *options);

#endif
