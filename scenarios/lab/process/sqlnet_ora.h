// SPDX-License-Identifier: GPL-2.0-or-later
// The parameters of a server's sqlnet.ora that this server knows.
#ifndef ORALAB_SQLNET_ORA_H
#define ORALAB_SQLNET_ORA_H

#include <stdbool.h>
#include <stddef.h>

struct sqlnet_ora {
    unsigned break_poll_skip; // BREAK_POLL_SKIP, 1 or more
    bool disable_oob;         // DISABLE_OOB
    unsigned default_sdu_size;
    bool disable_oob_auto; // DISABLE_OOB_AUTO: no path check at connect
    // SQLNET.INBOUND_CONNECT_TIMEOUT, in s: who has not logged on by then is
    // left. 0: never.
    unsigned inbound_connect_timeout;
};

// What holds when there is no file.
extern const struct sqlnet_ora sqlnet_ora_defaults;

// Applies one line of a sqlnet.ora; what it does not know it passes over.
void sqlnet_ora_line(struct sqlnet_ora *ora, const char *line);
// Reads `directory`/sqlnet.ora; NULL, or no such file, gives the defaults.
struct sqlnet_ora sqlnet_ora_read(const char *directory);

#endif
