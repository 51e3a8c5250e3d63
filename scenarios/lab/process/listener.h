// SPDX-License-Identifier: GPL-2.0-or-later
// Waits for clients and starts a dedicated server for each.
#ifndef ORALAB_LISTENER_H
#define ORALAB_LISTENER_H

#include "process/options.h"

// Descriptors a dedicated server is started with.
enum { SERVER_SOCKET = 3, SERVER_SGA = 4 };

// Returns the exit code of the process.
int listener_run(const struct options *options);

#endif
