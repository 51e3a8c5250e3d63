// SPDX-License-Identifier: GPL-2.0-or-later
// perf events: uprobes, clocks.
#ifndef POLLTRACE_PERF_H
#define POLLTRACE_PERF_H

#include <linux/perf_event.h>

// An event of this process (-1: of all) on this CPU (-1: on all); -1 and errno
// when the kernel has none for us.
int perf_open(struct perf_event_attr *attr, int pid, int cpu);

// Such an errno in words. Debian's kernels refuse CAP_PERFMON alone while
// kernel.perf_event_paranoid is 3, as it is there from the start.
const char *perf_why(int error);

#endif
