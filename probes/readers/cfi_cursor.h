// SPDX-License-Identifier: GPL-2.0-or-later
// Reads the numbers of .eh_frame. Beyond the end, and where a number is none,
// `bad` is set and 0 returned.
#ifndef POLLTRACE_CFI_CURSOR_H
#define POLLTRACE_CFI_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct eh_frame {
    const uint8_t *data;
    size_t size;
    uint64_t address; // of data[0], as the linker laid it out
};

struct cursor {
    const uint8_t *data;
    size_t at, end;
    bool bad;
};

static inline uint64_t read_bytes(struct cursor *c, size_t count) {
    uint64_t value = 0;

    if (c->bad || c->end - c->at < count) {
        c->bad = true;
        return 0;
    }
    memcpy(&value, c->data + c->at, count); // little-endian, as x86-64 is
    c->at += count;
    return value;
}

static inline uint64_t read_uleb(struct cursor *c) {
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint8_t byte = read_bytes(c, 1);

        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
    c->bad = true;
    return 0;
}

static inline int64_t read_sleb(struct cursor *c) {
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 64; shift += 7) {
        uint8_t byte = read_bytes(c, 1);

        value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) {
            if (byte & 0x40 && shift + 7 < 64)
                value |= ~UINT64_C(0) << (shift + 7);
            return (int64_t)value;
        }
    }
    c->bad = true;
    return 0;
}

static inline void skip(struct cursor *c, uint64_t count) {
    if (c->bad || c->end - c->at < count)
        c->bad = true;
    else
        c->at += count;
}

static inline uint64_t read_encoded(struct cursor *c, uint8_t encoding,
                                    uint64_t section) {
    uint64_t here = section + c->at, value;

    switch (encoding & 0x0f) {
    case 0x00: // absolute pointer
    case 0x04: // udata8
    case 0x0c: // sdata8
        value = read_bytes(c, 8);
        break;
    case 0x02:
        value = read_bytes(c, 2);
        break;
    case 0x03:
        value = read_bytes(c, 4);
        break;
    case 0x0a:
        value = (uint64_t)(int16_t)read_bytes(c, 2);
        break;
    case 0x0b:
        value = (uint64_t)(int32_t)read_bytes(c, 4);
        break;
    default:
        c->bad = true;
        return 0;
    }
    if ((encoding & 0x70) == 0x10)
        value += here;
    else if (encoding & 0xf0)
        c->bad = true; // relative to text, data or indirect: not on x86-64
    return value;
}

#endif
