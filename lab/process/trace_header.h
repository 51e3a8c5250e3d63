// SPDX-License-Identifier: GPL-2.0-or-later
// The lines of a trace file about its server and session.
#ifndef ORALAB_TRACE_HEADER_H
#define ORALAB_TRACE_HEADER_H

#include "process/sga.h"

enum { TRACE_TIME = 40 };

// The time of day as trace files have it: "2023-08-30T23:05:42.075026+00:00".
void trace_time(char to[TRACE_TIME]);
// The head of a file: the program, the host, the process, and the session.
void trace_header(const struct sga *sga, const struct session_slot *slot,
                  const char *path);
// The lines "*** MODULE NAME:(...)" and their like: those that have changed
// since they were written last, or `all` of them.
void trace_identity(const struct sga *sga, const struct session_slot *slot,
                    bool all);

#endif
