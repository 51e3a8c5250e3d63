// SPDX-License-Identifier: GPL-2.0-or-later
// The session's open cursors, by the numbers that the client knows.
#include <stdlib.h>

#include "ttc/server.h"

void open_cursor_close(struct server *server, unsigned id) {
    if (id < 1 || id > MOST_CURSORS || !server->cursor[id - 1].open)
        return;
    struct open_cursor *open = &server->cursor[id - 1];
    cursor_close(&open->cursor);
    free(open->bind);
    free(open->define);
    *open = (struct open_cursor){0};
    server->self->stat[STAT_CURSORS_OPEN]--;
}

static void open_cursor_cancel(struct server *server, unsigned id) {
    if (id >= 1 && id <= MOST_CURSORS && server->cursor[id - 1].open)
        cursor_cancel(&server->cursor[id - 1].cursor);
}

void call_end_cursors(struct server *server, bool close) {
    struct wire_in *in = &server->in;
    in_u8(in);
    uint32_t count = in_ub4(in);
    for (uint32_t i = 0; i < count && !in->bad; i++)
        (close ? open_cursor_close : open_cursor_cancel)(server, in_ub4(in));
    if (in->bad)
        server_violated(server, "cursors to end");
}

struct open_cursor *open_cursor_of(struct server *server, unsigned id) {
    if (id >= 1 && id <= MOST_CURSORS && server->cursor[id - 1].open) {
        // An error's answer names it too, or the client could not close it.
        server->cursor_in_use = id;
        return &server->cursor[id - 1];
    }
    server_raise(server, 1001, "");
    return NULL;
}

unsigned open_cursor_for_parse(struct server *server, unsigned id) {
    open_cursor_close(server, id);
    if (id == 0)
        for (id = 1; id <= MOST_CURSORS && server->cursor[id - 1].open;)
            id++;
    if (id > MOST_CURSORS) {
        server_raise(server, 1000, "");
        return 0;
    }
    return id;
}
