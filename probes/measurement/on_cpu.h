// SPDX-License-Identifier: GPL-2.0-or-later
// On-CPU time of the watched processes within a window.
#ifndef POLLTRACE_ON_CPU_H
#define POLLTRACE_ON_CPU_H

#include "processes/watched.h"

// Reads from every CPU which task it runs; from then on sched_switch, which
// must be attached, keeps that up to date. False before Linux 5.10, which
// cannot run a program on a chosen CPU: on_cpu_read() then gives the kernel's
// figures, exact to a tick.
bool on_cpu_begin(struct probe *probe);

// Nanoseconds up to `now`, for every slot that is kept; only differences have a
// meaning.
void on_cpu_read(struct watched *watched, uint64_t now, uint64_t *ns);

// The share of on_cpu_read()'s time that a hypervisor took (steal), 0 to 1. The
// kernel's figures for a process do not include it.
double on_cpu_stolen(void);

#endif
