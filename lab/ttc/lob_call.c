// SPDX-License-Identifier: GPL-2.0-or-later
// Function 96: operations on a LOB by its locator.
#include <stdlib.h>
#include <string.h>

#include "process/sql_trace.h"
#include "sql/types/utf16.h"
#include "ttc/server.h"

enum lob_operation {
    LOB_LENGTH = 0x0001,
    LOB_READ = 0x0002,
    LOB_TRIM = 0x0020,
    LOB_WRITE = 0x0040,
    LOB_CREATE_TEMPORARY = 0x0110,
    LOB_FREE_TEMPORARY = 0x0111,
    LOB_CHUNK_SIZE = 0x4000,
    LOB_OPEN = 0x8000,
    LOB_CLOSE = 0x10000,
    LOB_IS_OPEN = 0x11000,
    LOB_ARRAY = 0x80000,
};

enum {
    INVALID_LOCATOR = 22275,
    NO_SUCH_LOB = 22922,
    MOST_LOCATOR = 65536,
    TYPE_CLOB = 112,
};

struct lob_request {
    uint32_t operation;
    struct bytes source, destination; // locators
    uint64_t offset;                  // from 1
    uint64_t type;                    // of a temporary LOB to be made
    uint64_t amount;
    bool has_amount, has_charset, has_null, has_scn;
    struct bytes data;
    uint64_t moved; // bytes, as its record in SQL trace has them
};

// Its name in SQL trace; NULL: the name in Oracle is not known, and there is no
// record.
static const char *record_name(uint32_t operation) {
    switch (operation) {
    case LOB_LENGTH:
        return "LOBGETLEN";
    case LOB_READ:
        return "LOBREAD";
    case LOB_WRITE:
        return "LOBWRITE";
    case LOB_CREATE_TEMPORARY:
        return "LOBTMPCREATE";
    case LOB_FREE_TEMPORARY:
        return "LOBTMPFRE";
    case LOB_FREE_TEMPORARY | LOB_ARRAY:
        return "LOBARRTMPFRE";
    case LOB_CHUNK_SIZE:
        return "LOBPGSIZE";
    }
    return NULL;
}

static void read_request(struct server *server, struct lob_request *r) {
    struct wire_in *in = &server->in;
    *r = (struct lob_request){0};
    const bool has_source = in_u8(in);
    const uint32_t source = in_ub4(in);
    const bool has_destination = in_u8(in);
    const uint32_t destination = in_ub4(in);
    in_ub(in); // offsets of old clients
    in_ub(in);
    r->has_charset = in_u8(in);
    in_u8(in);
    r->has_null = in_u8(in);
    r->operation = in_ub4(in);
    r->has_scn = in_u8(in);
    const uint32_t scn = in_ub4(in);
    r->offset = in_ub(in);
    r->type = in_ub(in); // the offset in the destination, else
    r->has_amount = in_u8(in);
    in_skip(in, 6);
    if (source > MOST_LOCATOR || destination > MOST_LOCATOR || scn > 16)
        in_refuse(in, "too long a locator");
    if (has_source)
        r->source = in_raw(in, source);
    if (has_destination)
        r->destination = in_raw(in, destination);
    if (r->has_charset)
        in_ub(in);
    for (uint32_t i = 0; r->has_scn && i < scn && !in->bad; i++)
        in_ub(in);
    if (r->has_amount)
        r->amount = in_ub(in);
    if (r->operation == LOB_WRITE && in_u8(in) == MESSAGE_LOB_DATA)
        r->data = in_clr(in);
}

// All but the data of a LOB.
static void answer(struct server *server, const struct lob_request *r,
                   struct bytes locator, uint64_t amount) {
    struct wire_out *out = &server->out;
    out_u8(out, MESSAGE_PARAMETER);
    out_raw(out, locator.at, locator.length);
    out_raw(out, r->destination.at, r->destination.length);
    if (r->has_charset)
        out_ub(out, 873);
    if (r->has_amount)
        out_ub(out, amount);
    if (r->has_null)
        out_u8(out, 0); // not NULL; not open
    answer_error(server, 0, 0);
}

static void create(struct server *server, const struct lob_request *r) {
    // The client has made room for a locator: 40 bytes, or with JDBC 23 108.
    // All of it is sent back; the locator itself contains its length.
    const size_t room = r->source.length;
    if (room < LOCATOR_BYTES) {
        server_raise(server, INVALID_LOCATOR, "");
        return;
    }
    uint8_t *locator = arena_take(&server->arena, room);
    struct lob *lob =
        locator ? lobs_make(&server->lobs, r->type == TYPE_CLOB) : NULL;
    if (!lob) {
        server_raise(server, 4030, "");
        return;
    }
    memset(locator, 0, room);
    lobs_locator(lob, locator);
    answer(server, r, (struct bytes){locator, room}, r->amount);
}

static void read_lob(struct server *server, struct lob_request *r,
                     const struct lob *lob) {
    const uint64_t unit = lob->character ? 2 : 1;
    const uint64_t units = lob->length / unit;
    const uint64_t index = r->offset > 0 ? r->offset - 1 : 0;
    uint64_t amount = index < units ? units - index : 0;
    if (r->amount > 0 && amount > r->amount) // 0: go-ora wants all of it
        amount = r->amount;
    r->moved = amount * unit;
    if (amount > 0) {
        out_u8(&server->out, MESSAGE_LOB_DATA);
        out_clr(&server->out, lob->data + index * unit, amount * unit);
    }
    answer(server, r, r->source, amount);
}

static void free_all(struct server *server, const struct lob_request *r) {
    for (size_t at = 0; at + LOCATOR_BYTES <= r->source.length;
         at += LOCATOR_BYTES)
        lobs_free_temporary(&server->lobs,
                            (struct bytes){r->source.at + at, LOCATOR_BYTES});
}

static void carry_out(struct server *server, struct lob_request *r,
                      struct lob *lob) {
    const uint64_t unit = lob->character ? 2 : 1;
    switch (r->operation) {
    case LOB_LENGTH:
        r->moved = lob->length;
        answer(server, r, r->source, lob->length / unit);
        break;
    case LOB_READ:
        read_lob(server, r, lob);
        break;
    case LOB_CHUNK_SIZE:
        r->moved = LOB_CHUNK;
        answer(server, r, r->source, LOB_CHUNK);
        break;
    case LOB_TRIM:
        lobs_trim(&server->lobs, lob,
                  r->amount < MOST_LOB_BYTES ? r->amount * unit : UINT64_MAX);
        answer(server, r, r->source, r->amount);
        break;
    case LOB_WRITE:
        if (lob->serial % 2 == 0)
            server_raise(server, 3001, "writing into a fetched LOB");
        else if (!lobs_write(&server->lobs, lob,
                             r->offset > 0 ? (r->offset - 1) * unit : 0,
                             r->data))
            server_raise(server, 4030, "");
        else {
            r->moved = r->data.length;
            answer(server, r, r->source, r->data.length / unit);
        }
        break;
    case LOB_FREE_TEMPORARY:
    case LOB_FREE_TEMPORARY | LOB_ARRAY:
        free_all(server, r);
        answer(server, r, r->source, 0);
        break;
    case LOB_OPEN:
    case LOB_CLOSE:
    case LOB_IS_OPEN:
        answer(server, r, r->source, r->amount);
        break;
    default:
        server_raise(server, 3001, "this operation on a LOB");
    }
}

static void respond(struct server *server, struct lob_request *r,
                    struct lob *lob) {
    const bool frees = (r->operation & ~LOB_ARRAY) == LOB_FREE_TEMPORARY;
    if (r->operation == LOB_CREATE_TEMPORARY)
        create(server, r);
    else if (lob)
        carry_out(server, r, lob);
    else if (frees) {
        free_all(server, r);
        answer(server, r, r->source, 0);
    } else
        server_raise(server,
                     r->source.length == LOCATOR_BYTES ? NO_SUCH_LOB
                                                       : INVALID_LOCATOR,
                     "");
}

void call_lob(struct server *server, bool piggyback) {
    const struct sql_trace_lob call = sql_trace_lob_begins();
    struct lob_request r;
    read_request(server, &r);
    if (server->in.bad) {
        server_violated(server, "LOB message");
        return;
    }
    struct lob *lob = lobs_find(&server->lobs, r.source);
    const bool temporary = !lob || lob->serial % 2 == 1;
    if (piggyback) // frees temporary ones, and is not answered
        free_all(server, &r);
    else
        respond(server, &r, lob);
    const char *name = record_name(r.operation);
    if (name && !server->error.number)
        sql_trace_lob_ends(&call, name, temporary, r.moved);
}

// A value as its client has defined it: a locator, and before it, if it wants
// that, the length and the beginning of the data.
bool answer_lob(struct server *server, const struct bind_type *as,
                bool character, const void *data, size_t length) {
    struct wire_out *out = &server->out;
    uint8_t locator[LOCATOR_BYTES];
    size_t bytes = length;
    uint8_t *copy = malloc(2 * length + 1);
    if (copy && character)
        bytes = utf16_from_utf8(data, length, copy);
    else if (copy && length > 0)
        memcpy(copy, data, length);
    struct lob *lob =
        copy ? lobs_keep(&server->lobs, character, copy, bytes) : NULL;
    if (!lob) {
        server_raise(server, 4030, "");
        return false;
    }
    lobs_locator(lob, locator);
    out_ub(out, LOCATOR_BYTES);
    if (as && as->lob_prefetch) {
        const size_t unit = character ? 2 : 1;
        out_ub(out, bytes / unit);
        out_ub(out, LOB_CHUNK);
        if (as->lob_prefetch_length > 0) {
            size_t begin = bytes / unit;
            if (begin > as->lob_prefetch_length)
                begin = as->lob_prefetch_length;
            if (character) {
                out_u8(out, 1); // its character set follows, and its form
                out_ub(out, 2000);
                out_u8(out, 1);
            }
            out_clr(out, lob->data, begin * unit);
        }
    }
    out_clr(out, locator, sizeof locator);
    return true;
}
