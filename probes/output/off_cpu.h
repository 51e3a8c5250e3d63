// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef POLLTRACE_OUTPUT_OFF_CPU_H
#define POLLTRACE_OUTPUT_OFF_CPU_H

#include "output/reporter.h"

// Further members of a stack's record, in off-CPU mode.
void add_off_times(struct reporter *reporter, const struct stack_key *key,
                   uint64_t stack);

// All threads of a process: CPU time, blocked and on a run queue.
void add_off_total(struct reporter *reporter, uint32_t slot);

#endif
