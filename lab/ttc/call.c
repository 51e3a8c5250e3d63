// SPDX-License-Identifier: GPL-2.0-or-later
// The parts that all calls share: how they fail, and how they read text.
#include "process/trace_file.h"
#include "ttc/server.h"

void server_raise(struct server *server, unsigned error, const char *about) {
    ora_error_set(&server->error, error, about);
}

static void trace_message(const struct server *server, const char *what,
                          const char *why) {
    const struct wire_in *in = &server->in;
    trace_write("%s\nMessage type %u, TTC function %u, sequence %u: %s%s%s, at "
                "byte %llu of the message.\n"
                "The piece of it that came last; it was read up to %08zX:",
                server->error.text, server->message, server->call,
                server->sequence, what, *why ? ": " : "", why,
                (unsigned long long)in_position(in), in->at);
    trace_dump(in->data, in->length, in->at);
}

void server_violated(struct server *server, const char *what) {
    enum { PROTOCOL_ERROR = 3106, NO_MEMORY = 4030 };
    struct wire_in *in = &server->in;
    // Broken off by a break, or by a client that went away, it proves nothing.
    if (server->breaks.stopping || server->ended || server->lost)
        return;
    server_raise(server, in->too_long ? NO_MEMORY : PROTOCOL_ERROR, "");
    trace_message(server, what, in->fault ? in->fault : "");
    server->lost = true;
}

void server_unsupported(struct server *server, const char *what) {
    if (server->breaks.stopping || server->ended || server->lost)
        return;
    server_raise(server, 3001, what);
    trace_message(server, "not supported", what);
    server->lost = true;
}

void server_ends(struct server *server, const char *why) {
    const char *fault = server->tns.fault;
    if (!server->ended && (why || *fault))
        trace_write("The session ends: %s%s%s", why ? why : "",
                    why && *fault ? ": " : "", fault);
    server->ended = true;
}

struct bytes in_chr(struct server *server, size_t length) {
    return server->text_has_length ? in_clr(&server->in)
                                   : in_raw(&server->in, length);
}
