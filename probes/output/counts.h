// SPDX-License-Identifier: GPL-2.0-or-later
// One process's part of a frame.
#ifndef POLLTRACE_COUNTS_H
#define POLLTRACE_COUNTS_H

#include "output/reporter.h"

void add_counts(struct reporter *reporter, uint32_t slot);

// Histograms of the processes that found no block of their own.
void add_shared_times(struct reporter *reporter);

#endif
