// SPDX-License-Identifier: GPL-2.0-or-later
// Sends answers, whole or as far as they are written.
#include <string.h>

#include "ttc/server.h"

static void send_bytes(struct server *server, size_t length) {
    struct wire_out *out = &server->out;
    if (out->bad)
        server_ends(server, "out of memory for an answer");
    else if (length > 0 && !tns_send_data(&server->tns, out->data, length))
        server_ends(server, "the client takes no answer");
    if (length < out->length)
        memmove(out->data, out->data + length, out->length - length);
    out->length -= length;
}

void answer_send(struct server *server) {
    send_bytes(server, server->out.length);
    server->tns.answering = false;
}

void answer_flush(struct server *server) {
    // Rows from a remote database are passed on as packets fill with them: the
    // rest may take longer than to send them.
    const size_t enough = server->database.remote_rows ? 0 : 256 * 1024;
    const size_t payload = tns_payload(&server->tns);
    // Something is left for the last packet.
    if (server->out.length > enough + payload)
        send_bytes(server, (server->out.length - 1) / payload * payload);
}
