// SPDX-License-Identifier: GPL-2.0-or-later
// Attaches the programs that the loader has loaded, and detaches them.
#ifndef POLLTRACE_ATTACH_H
#define POLLTRACE_ATTACH_H

#include <stdbool.h>

#include "loader/loader.h"

// These two end the program with a message when they cannot.
void probe_attach_lives(struct probe *probe); // fork, exec, exit
void probe_attach_calls(struct probe *probe);

// Attaches the detached programs again; false, with errno, when it cannot.
bool probe_try_attach_calls(struct probe *probe);
void probe_detach_calls(struct probe *probe);

#endif
