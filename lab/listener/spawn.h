// SPDX-License-Identifier: GPL-2.0-or-later
// Starts the process of a dedicated server.
#ifndef ORALAB_SPAWN_H
#define ORALAB_SPAWN_H

#include <stdbool.h>

#include "process/sga.h"

enum transport { TRANSPORT_TCP, TRANSPORT_LOCAL, TRANSPORT_TCPS };

// False with errno set when there is no free slot or no process to be had.
// `client` stays open in the caller. A local server has no socket: a process
// between the two carries the packets.
bool spawn_server(struct sga *sga, int sga_fd, int client,
                  enum transport transport, const char *tns_admin);

// Starts the process of a job. False as above.
bool spawn_job(struct sga *sga, int sga_fd, const struct job *job);

#endif
