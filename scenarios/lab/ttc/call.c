// SPDX-License-Identifier: GPL-2.0-or-later
// What all calls share: how they fail, and how they read text.
#include <stdio.h>
#include <stdlib.h>

#include "ttc/server.h"

void server_raise(struct server *server, unsigned error, const char *about) {
    ora_error_set(&server->error, error, about);
}

void server_violated(struct server *server, const char *what) {
    if (server->breaks.stopping)
        return; // a message that was cut short by a break
    if (getenv("ORALAB_TRACE"))
        fprintf(stderr, "oralab: client violated the protocol: %s\n", what);
    server->ended = true;
}

struct bytes in_chr(struct server *server, size_t length) {
    return server->text_has_length ? in_clr(&server->in)
                                   : in_raw(&server->in, length);
}
