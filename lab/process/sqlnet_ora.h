// SPDX-License-Identifier: GPL-2.0-or-later
// The parameters of a server's sqlnet.ora that this server knows.
#ifndef ORALAB_SQLNET_ORA_H
#define ORALAB_SQLNET_ORA_H

#include <stdbool.h>
#include <stddef.h>

struct sqlnet_ora {
    unsigned break_poll_skip;  // BREAK_POLL_SKIP, 1 or more
    bool disable_oob;          // DISABLE_OOB
    unsigned default_sdu_size; // DEFAULT_SDU_SIZE, bytes
    bool disable_oob_auto;     // DISABLE_OOB_AUTO: no path check at connect
    // SQLNET.INBOUND_CONNECT_TIMEOUT, in s: a client that has not logged on by
    // then is disconnected. 0: never.
    unsigned inbound_connect_timeout;
    // SQLNET.EXPIRE_TIME, in min: see net/keepalive.h. 0: off.
    unsigned expire_time;
    // Of the server as a client of others, in s; 0: without limit.
    // SQLNET.RECV_TIMEOUT: for each packet of a remote database.
    // SQLNET.OUTBOUND_CONNECT_TIMEOUT: until it has accepted us.
    unsigned receive_timeout;
    unsigned outbound_connect_timeout;
};

// The parameters when there is no file.
extern const struct sqlnet_ora sqlnet_ora_defaults;

// Applies one line of a sqlnet.ora; passes over parameters that it does not
// know.
void sqlnet_ora_line(struct sqlnet_ora *ora, const char *line);
// Reads `directory`/sqlnet.ora; NULL, or no such file, gives the defaults.
struct sqlnet_ora sqlnet_ora_read(const char *directory);

#endif
