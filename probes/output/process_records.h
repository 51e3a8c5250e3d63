// SPDX-License-Identifier: GPL-2.0-or-later
// The records on single processes: process, maps, exit.
#ifndef POLLTRACE_PROCESS_RECORDS_H
#define POLLTRACE_PROCESS_RECORDS_H

#include "output/reporter.h"

void report_processes(struct reporter *reporter); // those that are new
void report_exits(struct reporter *reporter);

#endif
