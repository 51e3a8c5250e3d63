// SPDX-License-Identifier: GPL-2.0-or-later
// The piggyback by which a client describes its work: v$session shows it as
// MODULE, ACTION, CLIENT_INFO and CLIENT_IDENTIFIER.
#include <string.h>

#include "ttc/server.h"

struct attribute {
    bool given;
    uint32_t length;
    char *to; // NULL: read and forgotten
};

static void take(struct server *server, const struct attribute *attribute) {
    struct bytes value = {NULL, 0};
    if (attribute->length > 0)
        value = in_chr(server, attribute->length);
    if (!attribute->given || !attribute->to || server->in.bad)
        return;
    size_t n = value.length < SGA_NAME - 1 ? value.length : SGA_NAME - 1;
    if (n > 0)
        memcpy(attribute->to, value.at, n);
    attribute->to[n] = '\0';
}

void call_end_to_end(struct server *server) {
    struct session_slot *self = server->self;
    struct wire_in *in = &server->in;
    // In the order of the message; the others are of no use here.
    struct attribute attributes[] = {
        {.to = self->client_identifier},
        {.to = self->module},
        {.to = self->action},
        {.to = NULL}, // execution context
        {.to = NULL},
        {.to = self->client_info},
        {.to = NULL},
        {.to = NULL},
        {.to = NULL}, // database operation
    };
    const size_t count = sizeof attributes / sizeof *attributes;
    in_skip(in, 2);
    in_ub(in); // which of them change: repeated in their flags below
    for (size_t i = 0; i < count; i++) {
        attributes[i].given = in_u8(in);
        attributes[i].length = in_ub4(in);
    }
    for (size_t i = 0; i < count && !in->bad; i++)
        take(server, &attributes[i]);
    if (in->bad)
        server_violated(server, "end-to-end attributes");
}
