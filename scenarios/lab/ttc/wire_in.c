// SPDX-License-Identifier: GPL-2.0-or-later
#include "ttc/wire.h"

#include <stdlib.h>
#include <string.h>

enum {
    CLR_CHUNKED = 0xfe,
    CLR_NULL = 0xff,
    LONGEST_MESSAGE = 16 << 20,
};

struct arena_block {
    struct arena_block *next;
    size_t used, size;
    _Alignas(16) uint8_t data[];
};

void *arena_take(struct arena *arena, size_t size) {
    size = (size + 15) & ~(size_t)15;
    struct arena_block *block = arena->blocks;
    if (!block || block->size - block->used < size) {
        size_t room = size > 4096 ? size : 4096;
        if (room > arena->limit - arena->total)
            return NULL;
        block = malloc(sizeof *block + room);
        if (!block)
            return NULL;
        *block = (struct arena_block){.next = arena->blocks, .size = room};
        arena->blocks = block;
        arena->total += room;
    }
    void *at = block->data + block->used;
    block->used += size;
    return at;
}

void arena_empty(struct arena *arena) {
    while (arena->blocks) {
        struct arena_block *next = arena->blocks->next;
        free(arena->blocks);
        arena->blocks = next;
    }
    arena->total = 0;
}

bool in_append(struct wire_in *in, const uint8_t *data, size_t length) {
    if (length > LONGEST_MESSAGE - in->length)
        return false;
    if (in->length + length > in->room) {
        size_t room = (in->length + length) * 2;
        uint8_t *grown = realloc(in->data, room);
        if (!grown)
            return false;
        in->data = grown;
        in->room = room;
    }
    if (length > 0)
        memcpy(in->data + in->length, data, length);
    in->length += length;
    return true;
}

size_t in_left(const struct wire_in *in) {
    return in->bad ? 0 : in->length - in->at;
}

static bool have(struct wire_in *in, size_t length) {
    if (length > LONGEST_MESSAGE)
        in->bad = true;
    while (!in->bad && in->length - in->at < length)
        if (!in->more || !in->more(in))
            in->bad = true;
    return !in->bad;
}

uint8_t in_u8(struct wire_in *in) {
    return have(in, 1) ? in->data[in->at++] : 0;
}

void in_skip(struct wire_in *in, size_t length) {
    if (have(in, length))
        in->at += length;
}

uint64_t in_ub(struct wire_in *in) {
    uint8_t size = in_u8(in);
    if (size > 8 || !have(in, size)) {
        in->bad = true;
        return 0;
    }
    uint64_t value = 0;
    while (size-- > 0)
        value = value << 8 | in->data[in->at++];
    return value;
}

uint32_t in_ub4(struct wire_in *in) {
    uint64_t value = in_ub(in);
    if (value > UINT32_MAX)
        in->bad = true;
    return in->bad ? 0 : (uint32_t)value;
}

struct bytes in_raw(struct wire_in *in, size_t length) {
    struct bytes none = {NULL, 0};
    if (length == 0 || !have(in, length))
        return none;
    uint8_t *copy = arena_take(in->arena, length + 1);
    if (!copy) {
        in->bad = true;
        return none;
    }
    memcpy(copy, in->data + in->at, length);
    copy[length] = '\0';
    in->at += length;
    return (struct bytes){copy, length};
}

static struct bytes in_chunks(struct wire_in *in) {
    struct bytes none = {NULL, 0};
    // Two passes: all chunks have to be here before their sum is known.
    size_t start = in->at, total = 0;
    for (;;) {
        size_t chunk = in->big_chunks ? in_ub4(in) : in_u8(in);
        if (in->bad)
            return none;
        if (chunk == 0)
            break;
        in_skip(in, chunk);
        total += chunk;
    }
    if (total == 0 || in->bad)
        return none;
    uint8_t *copy = arena_take(in->arena, total + 1);
    if (!copy) {
        in->bad = true;
        return none;
    }
    in->at = start;
    for (size_t done = 0;;) {
        size_t chunk = in->big_chunks ? in_ub4(in) : in_u8(in);
        if (chunk == 0)
            break;
        memcpy(copy + done, in->data + in->at, chunk);
        in->at += chunk;
        done += chunk;
    }
    copy[total] = '\0';
    return (struct bytes){copy, total};
}

struct bytes in_clr(struct wire_in *in) {
    uint8_t length = in_u8(in);
    if (length == 0 || length == CLR_NULL)
        return (struct bytes){NULL, 0};
    return length == CLR_CHUNKED ? in_chunks(in) : in_raw(in, length);
}

struct bytes in_dlc(struct wire_in *in) {
    return in_ub(in) > 0 ? in_clr(in) : (struct bytes){NULL, 0};
}
