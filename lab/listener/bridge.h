// SPDX-License-Identifier: GPL-2.0-or-later
// Carries a client's packets between its socket and the pipes of a local
// server, and its breaks as signals: the client's half of a bequeathed
// connection, for drivers that know only TCP.
#ifndef ORALAB_BRIDGE_H
#define ORALAB_BRIDGE_H

#include <sys/types.h>

// Ends when either side does. `server` gets a SIGURG for every break.
_Noreturn void bridge_run(int client, int to_server, int from_server,
                          pid_t server);

#endif
