// SPDX-License-Identifier: GPL-2.0-or-later
#include "ttc/execution.h"

#include <stdlib.h>

#include "ttc/bind_types.h"

enum {
    MOST_DEFINES = 1000,
    BIND_IS_ARRAY = 0x40,
    LOB_PREFETCH = 0x2000000,
    INVALID_BIND = 1745,
};

// A column or bind description.
static struct bind_type read_description(struct server *server) {
    struct wire_in *in = &server->in;
    struct bind_type bind = {.type = in_u8(in)};
    bind.array = in_u8(in) & BIND_IS_ARRAY;
    in_u8(in); // precision
    in_ub(in); // scale: JDBC has it of a TIMESTAMP; all others send 0
    bind.longest = in_ub4(in);
    bind.elements = in_ub(in);                    // of an array
    bind.lob_prefetch = in_ub(in) & LOB_PREFETCH; // continuation flags
    in_dlc(in);                                   // object id
    in_ub(in);                                    // version
    in_ub(in);                                    // character set
    bind.form = in_u8(in);
    bind.lob_prefetch_length = in_ub4(in); // of others, the longest
    if (server->field_version >= 8)
        in_ub(in);
    return bind;
}

// Up to the descriptions of binds; returns how many columns are described.
static uint32_t read_head(struct server *server, struct execution *e) {
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
    const bool has_binds = in_u8(in);
    e->binds = in_ub4(in);
    if (!has_binds)
        e->binds = 0;
    in_skip(in, 5);
    const bool has_defines = in_u8(in);
    const uint32_t defines = in_ub4(in);
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
        in_refuse(in, "too many parameters of an execution");
    for (uint32_t i = 0; i < al8_length && !in->bad; i++) {
        uint64_t value = in_ub(in);
        if (i < AL8_LENGTH)
            e->al8[i] = value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
    }
    return has_defines ? defines : 0;
}

// Long strings follow all else in a row, except in a block. Whether one is long
// follows from its declaration, not from its type.
static bool comes_last(const struct bind_type *bind) {
    enum { LONGEST_STRING = 32767 };
    switch (bind->type) {
    case TYPE_LONG:
    case TYPE_LONG_RAW:
        return bind->longest > LONGEST_STRING || bind->longest == 0;
    case TYPE_VARCHAR2:
    case TYPE_CHAR:
    case TYPE_RAW:
        return bind->longest > LONGEST_STRING;
    default:
        return false;
    }
}

bool execution_read(struct server *server, struct execution *e) {
    struct wire_in *in = &server->in;
    const uint32_t defines = read_head(server, e);
    if (!in->bad && e->binds > MOST_BINDS) {
        server_raise(server, INVALID_BIND, "");
        server->lost = true; // so that the rest of the message is dropped
        return false;
    }
    if (defines > MOST_DEFINES)
        in_refuse(in, "too many columns");
    if (!in->bad && e->binds > 0)
        e->bind = calloc(e->binds, sizeof *e->bind);
    for (uint32_t i = 0; e->bind && i < e->binds && !in->bad; i++)
        e->bind[i] = read_description(server);
    for (uint32_t i = 0; e->bind && i < e->binds; i++)
        e->bind[i].last =
            (e->options & OPTION_NOT_PLSQL) && comes_last(&e->bind[i]);
    if (!in->bad && defines > 0)
        e->define = calloc(defines, sizeof *e->define);
    for (; e->define && e->defines < defines && !in->bad; e->defines++)
        e->define[e->defines] = read_description(server);
    if (in->bad || (e->binds > 0 && !e->bind) || (defines > 0 && !e->define))
        server_violated(server, "execute message");
    return !server->lost && !in->bad;
}

void execution_free(struct execution *e) {
    free(e->bind);
    free(e->define);
    e->bind = e->define = NULL;
}
