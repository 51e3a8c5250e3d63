// SPDX-License-Identifier: GPL-2.0-or-later
// Waits for clients and starts a dedicated server for each.
#ifndef ORALAB_LISTENER_H
#define ORALAB_LISTENER_H

#include "listener/options.h"

// Descriptors a dedicated server is started with.
// SERVER_SOCKET is a pipe to read from in a local one, SERVER_OUT one to write
// to.
enum { SERVER_SOCKET = 3, SERVER_SGA = 4, SERVER_OUT = 5 };

// The argument that dedicated servers are started with, as Oracle's are.
#define REMOTE_ARGUMENT "(LOCAL=NO)"
#define LOCAL_ARGUMENT "(DESCRIPTION=(LOCAL=YES)(ADDRESS=(PROTOCOL=beq)))"

// The number of the job that a process is started for.
#define JOB_VARIABLE "ORALAB_JOB"

// Returns the exit code of the process.
int listener_run(const struct options *options);

#endif
