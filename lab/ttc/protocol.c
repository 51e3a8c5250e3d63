// SPDX-License-Identifier: GPL-2.0-or-later
// The first two messages of a session: which protocol, which data types.
#include <string.h>

#include "ttc/capabilities.h"
#include "ttc/server.h"

enum {
    CHARSET_AL16UTF16 = 2000,
    LOGON_12C = 0x6f,
    LOGON_11G = 0x0f, // without 0x20: the secrets are mixed as in 11g
    LARGE_TIME_ZONE = 0x02,
    RUNTIME_TIME_ZONE = 1, // index and bit
};

static const char banner[] = "x86_64/Linux 2.4.xx";

static const uint8_t compile_caps[45] = {
    [0] = 6,
    [1] = 1,
    [CAP_LOGON] = LOGON_12C,
    [5] = 1,
    [6] = 1,
    [CAP_FIELD_VERSION] = OUR_FIELD_VERSION,
    [8] = 1,
    [9] = 1,
    [10] = 1,
    [11] = 1,
    [12] = 1,
    [13] = 1,
    [14] = 1,
    [15] = 0x29,
    [16] = 0x91,
    [17] = 3,
    [18] = 7,
    [19] = 3,
    [21] = 1,
    [23] = 0xeb,
    [24] = 1,
    [26] = 4,
    [CAP_WIDE_TYPES] = 1,
    [31] = 0x18,
    [34] = 12,
    [CAP_LARGE] = LARGE_CHUNKS,
    [39] = 8,
    [42] = 5,
};

static const uint8_t runtime_caps[11] = {[0] = 2, [1] = 1, [6] = 4};

static void out_u16_little(struct wire_out *out, unsigned value) {
    out_u8(out, (uint8_t)value);
    out_u8(out, (uint8_t)(value >> 8));
}

static void out_u16_big(struct wire_out *out, unsigned value) {
    out_u8(out, (uint8_t)(value >> 8));
    out_u8(out, (uint8_t)value);
}

void negotiate_protocol(struct server *server) {
    struct wire_in *in = &server->in;
    struct wire_out *out = &server->out;
    // The versions the client takes, and its name. Both end with a zero.
    while (in_u8(in) != 0)
        ;
    while (in_u8(in) != 0)
        ;
    if (in->bad) {
        server_violated(server, "protocol message");
        return;
    }
    // The national character set stands at fdo[6 + fdo[5] + fdo[6] + 3].
    uint8_t fdo[12] = {0};
    fdo[6 + 3] = CHARSET_AL16UTF16 >> 8;
    fdo[6 + 4] = CHARSET_AL16UTF16 & 0xff;

    out_u8(out, MESSAGE_PROTOCOL);
    out_u8(out, PROTOCOL_VERSION);
    out_u8(out, 0);
    out_raw(out, banner, sizeof banner);
    out_u16_little(out, CHARSET_AL32UTF8);
    out_u8(out, 1);
    out_u16_little(out, 0); // elements
    out_u16_big(out, sizeof fdo);
    out_raw(out, fdo, sizeof fdo);
    uint8_t caps[sizeof compile_caps];
    memcpy(caps, compile_caps, sizeof caps);
    if (server->sga->verifier.type == VERIFIER_11G)
        caps[CAP_LOGON] = LOGON_11G;
    out_clr(out, caps, sizeof caps);
    out_clr(out, runtime_caps, sizeof runtime_caps);
}

// Which types the client knows, and how each is represented: as usual. Of each
// the type, its type in messages, and unless that is 0 the representation and a
// zero. A type of 0 ends the table.
// `describes`: whether the client knows the newest description of a column.
static bool read_type_table(struct wire_in *in, bool wide, bool *describes) {
    const size_t size = wide ? 2 : 1;
    bool first = true;
    for (;;) {
        unsigned type = in_u8(in), to = 0;
        if (wide)
            type = type << 8 | in_u8(in);
        if (in->bad || type == 0)
            return !in->bad;
        *describes |= type == TYPE_COLUMN_DESCRIPTION;
        // go-ora has the national character set before the table, which
        // begins with VARCHAR2, and little-endian.
        if (first && type != 1) {
            in_skip(in, 2 - size);
            first = false;
            continue;
        }
        first = false;
        to = in_u8(in);
        if (wide)
            to = to << 8 | in_u8(in);
        if (to != 0)
            in_skip(in, 2 * size);
    }
}

void negotiate_data_types(struct server *server) {
    static const uint8_t utc[11] = {128, 0, 0, 0, 60, 60, 60, 128, 0, 0, 0};
    struct wire_in *in = &server->in;
    struct wire_out *out = &server->out;
    in_skip(in, 4); // character sets
    uint8_t flags = in_u8(in);
    struct bytes compile = in_clr(in), runtime = in_clr(in);
    if (in->bad || compile.length <= CAP_FIELD_VERSION) {
        server_violated(server, "data types message");
        return;
    }
    uint8_t large = compile.length > CAP_LARGE ? compile.at[CAP_LARGE] : 0;
    uint8_t theirs = compile.at[CAP_FIELD_VERSION];
    server->text_has_length = flags & DATA_TYPES_TEXT_HAS_LENGTH;
    server->field_version =
        theirs < OUR_FIELD_VERSION ? theirs : OUR_FIELD_VERSION;
    // As our capabilities offer: not every client repeats that it agrees.
    in->big_chunks = out->big_chunks = true;
    const bool zone = runtime.length > RUNTIME_TIME_ZONE &&
                      (runtime.at[RUNTIME_TIME_ZONE] & 1);
    if (zone)
        in_skip(in, sizeof utc + (large & LARGE_TIME_ZONE ? 4 : 0));
    const bool wide =
        compile.length > CAP_WIDE_TYPES && compile.at[CAP_WIDE_TYPES];
    const bool compressed = compile.at[CAP_COMPRESSED_SCALES];
    bool describes = compile.at[CAP_BACKPORT] & PLAIN_SCALES;
    if (!read_type_table(in, wide, &describes)) {
        server_violated(server, "table of data types");
        return;
    }
    server->compressed_scales = compressed || !describes;

    out_u8(out, MESSAGE_DATA_TYPES);
    if (zone) {
        out_raw(out, utc, sizeof utc);
        if (large & LARGE_TIME_ZONE)
            out_raw(out, (const uint8_t[]){0, 0, 0, 32}, 4);
    }
    out_zeros(out, 2);
}
