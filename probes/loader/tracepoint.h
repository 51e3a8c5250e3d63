// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef POLLTRACE_TRACEPOINT_H
#define POLLTRACE_TRACEPOINT_H

// A perf event on the tracepoint of this path, such as
// "syscalls/sys_enter_poll"; -1 and errno when there is none. The name must
// stay valid. An event that was found once is found without tracefs.
int tracepoint_open(const char *event);

// Why there was none, in words; where there was no such failure, this errno.
const char *tracepoint_why(int error);

#endif
