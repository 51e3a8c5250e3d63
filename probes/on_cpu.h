// SPDX-License-Identifier: GPL-2.0-or-later
// On-CPU time of the watched processes within a window.
#ifndef POLLTRACE_ON_CPU_H
#define POLLTRACE_ON_CPU_H

#include "watched.h"

// Asks every CPU whom it runs; from then on sched_switch, which must be
// attached, keeps it up to date. False before Linux 5.10, which has no way to
// ask: then on_cpu_read() gives the kernel's figures, good to a tick.
bool on_cpu_begin(struct probe *probe);

// Nanoseconds up to `now`, for every slot that is kept; only differences have a
// meaning.
void on_cpu_read(struct watched *watched, uint64_t now, uint64_t *ns);

// The share of what on_cpu_read() gives that a hypervisor took, which the
// kernel's figures for a process do not hold.
double on_cpu_stolen(void);

#endif
