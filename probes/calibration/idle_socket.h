// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef POLLTRACE_IDLE_SOCKET_H
#define POLLTRACE_IDLE_SOCKET_H

// The accepted end of a connection of this process to itself; `kind` is tcp,
// tcp6 or unix. -1 with errno on failure.
int idle_socket(const char *kind);

#endif
