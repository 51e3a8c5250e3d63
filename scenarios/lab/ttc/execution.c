// SPDX-License-Identifier: GPL-2.0-or-later
#include "ttc/execution.h"

uint8_t read_oac(struct server *server) {
    struct wire_in *in = &server->in;
    uint8_t type = in_u8(in);
    in_skip(in, 3); // flags, precision, scale
    in_ub(in);      // longest
    in_ub(in);      // elements
    in_ub(in);      // continuation flags
    in_dlc(in);     // object id
    in_ub(in);      // version
    in_ub(in);      // character set
    in_u8(in);      // form
    in_ub(in);      // longest, in characters
    if (server->field_version >= 8)
        in_ub(in);
    return type;
}

void read_execution(struct server *server, struct execution *e) {
    struct wire_in *in = &server->in;
    const uint8_t version = server->field_version;
    *e = (struct execution){.options = in_ub4(in), .cursor = in_ub4(in)};
    in_u8(in);
    e->sql_length = in_ub4(in);
    in_u8(in);
    uint32_t al8_length = in_ub4(in);
    in_skip(in, 2);
    in_ub(in); // prefetch buffer
    e->prefetch = in_ub4(in);
    in_ub(in); // longest LONG
    e->has_binds = in_u8(in);
    e->binds = in_ub4(in);
    in_skip(in, 5);
    e->has_defines = in_u8(in);
    e->defines = in_ub4(in);
    if (version >= 4) {
        in_ub(in); // registration id
        in_skip(in, 2);
    }
    if (version >= 5) {
        in_u8(in);
        in_ub(in);
        in_u8(in);
        in_ub(in);
        in_ub(in);
    }
    if (version >= 7) {
        in_u8(in);
        in_ub(in);
        in_u8(in);
    }
    if (version >= 8) {
        in_u8(in);
        in_ub(in);
        in_u8(in);
        in_ub(in);
        in_u8(in);
    }
    if (version >= 9) {
        in_u8(in);
        in_ub(in);
    }
    if (e->sql_length > 0)
        e->sql = in_chr(server, e->sql_length);
    if (al8_length > 64)
        in->bad = true;
    for (uint32_t i = 0; i < al8_length && !in->bad; i++) {
        uint64_t value = in_ub(in);
        if (i < AL8_LENGTH)
            e->al8[i] = value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
    }
}
