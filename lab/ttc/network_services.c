// SPDX-License-Identifier: GPL-2.0-or-later
// Oracle Net's additional services: authentication by others, encryption,
// checksums. None is supported here. python-oracledb before 1.3 requests them
// even if ACCEPT has ruled them out, and waits for the answer.
#include "ttc/server.h"

enum {
    MAGIC = 0xdeadbeef,
    VERSION = 0x13000000,
    HEADER = 13,

    SERVICE_AUTHENTICATION = 1,
    SERVICE_ENCRYPTION = 2,
    SERVICE_CHECKSUMS = 3,
    SERVICE_SUPERVISOR = 4,

    FIELD_BYTE = 2,
    FIELD_VERSION = 5,
    FIELD_STATUS = 6,

    STATUS_FINE = 0x001f,
    STATUS_NOT_ACTIVE = 0xfbff,
};

static void out_big(struct wire_out *out, uint32_t value, unsigned bytes) {
    while (bytes-- > 0)
        out_u8(out, (uint8_t)(value >> 8 * bytes));
}

static void out_field(struct wire_out *out, unsigned type, uint32_t value,
                      unsigned bytes) {
    out_big(out, bytes, 2);
    out_big(out, type, 2);
    out_big(out, value, bytes);
}

static void out_service(struct wire_out *out, unsigned service,
                        unsigned fields) {
    out_big(out, service, 2);
    out_big(out, fields, 2);
    out_big(out, 0, 4); // no error
    out_field(out, FIELD_VERSION, VERSION, 4);
}

void negotiate_services(struct server *server) {
    struct wire_in *in = &server->in;
    struct wire_out *out = &server->out;
    uint32_t magic = MESSAGE_NETWORK_SERVICES, length = 0;
    for (int i = 0; i < 3; i++)
        magic = magic << 8 | in_u8(in);
    for (int i = 0; i < 2; i++)
        length = length << 8 | in_u8(in);
    if (magic != MAGIC || length < HEADER)
        in_refuse(in, "no request for network services");
    else
        in_skip(in, length - 6);
    if (in->bad) {
        server_violated(server, "network services");
        return;
    }
    const size_t start = out->length;
    out_big(out, MAGIC, 4);
    out_big(out, 0, 2); // the length, later
    out_big(out, VERSION, 4);
    out_big(out, 4, 2); // services
    out_u8(out, 0);
    out_service(out, SERVICE_SUPERVISOR, 2);
    out_field(out, FIELD_STATUS, STATUS_FINE, 2);
    out_service(out, SERVICE_AUTHENTICATION, 2);
    out_field(out, FIELD_STATUS, STATUS_NOT_ACTIVE, 2);
    out_service(out, SERVICE_ENCRYPTION, 2);
    out_field(out, FIELD_BYTE, 0, 1);
    out_service(out, SERVICE_CHECKSUMS, 2);
    out_field(out, FIELD_BYTE, 0, 1);
    if (out->bad)
        return;
    const size_t bytes = out->length - start;
    out->data[start + 4] = (uint8_t)(bytes >> 8);
    out->data[start + 5] = (uint8_t)bytes;
}
