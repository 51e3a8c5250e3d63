// SPDX-License-Identifier: GPL-2.0-or-later
// The records on single processes: process, maps, exit.
#ifndef POLLTRACE_PROCESSES_H
#define POLLTRACE_PROCESSES_H

#include "reporter.h"

void report_processes(struct reporter *reporter); // those that are new
void report_exits(struct reporter *reporter);

#endif
