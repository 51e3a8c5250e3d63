// SPDX-License-Identifier: GPL-2.0-or-later
#include "ttc/wire.h"

#include <stdlib.h>
#include <string.h>

enum { CLR_LONGEST_SHORT = 252, CLR_CHUNKED = 0xfe };

static uint8_t *extend(struct wire_out *out, size_t length) {
    if (out->bad)
        return NULL;
    if (length > out->room - out->length) {
        size_t room = (out->length + length) * 2 + 256;
        uint8_t *grown = realloc(out->data, room);
        if (!grown) {
            out->bad = true;
            return NULL;
        }
        out->data = grown;
        out->room = room;
    }
    uint8_t *target = out->data + out->length;
    out->length += length;
    return target;
}

void out_raw(struct wire_out *out, const void *data, size_t length) {
    uint8_t *target = extend(out, length);
    if (target && length > 0)
        memcpy(target, data, length);
}

void out_u8(struct wire_out *out, uint8_t value) {
    out_raw(out, &value, 1);
}

void out_zeros(struct wire_out *out, size_t count) {
    uint8_t *target = extend(out, count);
    if (target)
        memset(target, 0, count);
}

// Only the sizes 0, 1, 2, 4 and 8: drivers have no readers for others.
void out_ub(struct wire_out *out, uint64_t value) {
    uint8_t size = value == 0            ? 0
                   : value <= UINT8_MAX  ? 1
                   : value <= UINT16_MAX ? 2
                   : value <= UINT32_MAX ? 4
                                         : 8;
    uint8_t *target = extend(out, 1 + (size_t)size);
    if (!target)
        return;
    *target++ = size;
    for (int shift = 8 * (size - 1); shift >= 0; shift -= 8)
        *target++ = (uint8_t)(value >> shift);
}

void out_clr(struct wire_out *out, const void *data, size_t length) {
    if (length <= CLR_LONGEST_SHORT) {
        out_u8(out, (uint8_t)length);
        out_raw(out, data, length);
        return;
    }
    const size_t limit = out->big_chunks ? 32767 : CLR_LONGEST_SHORT;
    const uint8_t *from = data;
    out_u8(out, CLR_CHUNKED);
    while (length > 0) {
        size_t chunk = length < limit ? length : limit;
        if (out->big_chunks)
            out_ub(out, chunk);
        else
            out_u8(out, (uint8_t)chunk);
        out_raw(out, from, chunk);
        from += chunk;
        length -= chunk;
    }
    out_u8(out, 0);
}

void out_dlc(struct wire_out *out, const void *data, size_t length) {
    out_ub(out, length);
    if (length > 0)
        out_clr(out, data, length);
}

void out_text(struct wire_out *out, const char *text) {
    out_dlc(out, text, strlen(text));
}

void out_pair(struct wire_out *out, const char *key, const char *value,
              uint32_t flags) {
    out_text(out, key);
    out_text(out, value);
    out_ub(out, flags);
}
