// SPDX-License-Identifier: GPL-2.0-or-later
// TTC's encodings: compressed integers (ub), byte strings (CLR), strings with
// a length in front (DLC), key/value pairs.
#ifndef ORALAB_WIRE_H
#define ORALAB_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes {
    const uint8_t *at;
    size_t length;
};

// Memory of one call, or of one row of it; freed as a whole.
struct arena {
    struct arena_block *blocks;
    size_t total;
    size_t limit;
};
void *arena_take(struct arena *arena, size_t size); // NULL over the limit
void arena_empty(struct arena *arena);              // to be used again
void arena_free(struct arena *arena);

// The messages of a client, as one stream of bytes. Each function blocks until
// the bytes that it returns have come. No reader sees where packets begin and
// end: the message itself states its next field. Once `bad`, everything reads
// as zero, and `fault` is the reason; NULL where the client is gone or the
// message was broken off.
struct wire_in {
    uint8_t *data; // the piece that came last
    size_t length;
    size_t room;
    size_t at;
    uint64_t before; // bytes of the message in earlier pieces
    bool bad;
    const char *fault;
    bool too_long;   // the fault is that it does not fit into memory
    bool big_chunks; // chunk lengths of a long CLR are ub4, else one byte
    bool (*more)(struct wire_in *in); // gives the next piece to in_put()
    void *source;
    struct arena *arena; // holds the byte strings read
};
bool in_put(struct wire_in *in, const uint8_t *data, size_t length);
// Waits for the first byte of a message. False when none will come.
bool in_wait(struct wire_in *in);
// Drops the bytes received of a message that is not read to its end.
void in_discard(struct wire_in *in);
// The message violates the protocol: nothing more of it can be read.
void in_refuse(struct wire_in *in, const char *fault);
// How many bytes of the message have been read.
uint64_t in_position(const struct wire_in *in);
uint8_t in_u8(struct wire_in *in);
void in_skip(struct wire_in *in, size_t length);
uint64_t in_ub(struct wire_in *in); // a negative one is not a valid length: bad
uint32_t in_ub4(struct wire_in *in); // bad when it does not fit
struct bytes in_raw(struct wire_in *in, size_t length);
struct bytes in_clr(struct wire_in *in);
struct bytes in_dlc(struct wire_in *in);

// A message being written. Once `bad` (no memory) nothing more is added.
struct wire_out {
    uint8_t *data;
    size_t length;
    size_t room;
    bool bad;
    bool big_chunks;
};
void out_raw(struct wire_out *out, const void *data, size_t length);
void out_u8(struct wire_out *out, uint8_t value);
void out_ub(struct wire_out *out, uint64_t value);
void out_zeros(struct wire_out *out, size_t count);
void out_clr(struct wire_out *out, const void *data, size_t length);
void out_dlc(struct wire_out *out, const void *data, size_t length);
void out_text(struct wire_out *out, const char *text); // as DLC
void out_pair(struct wire_out *out, const char *key, const char *value,
              uint32_t flags);

#endif
