// SPDX-License-Identifier: GPL-2.0-or-later
#include "ttc/wire.h"

#include <stdlib.h>
#include <string.h>

enum {
    USUAL_BLOCK = 4096,
    CLR_CHUNKED = 0xfe,
    CLR_NULL = 0xff,
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
        size_t room = size > USUAL_BLOCK ? size : USUAL_BLOCK;
        if (room > arena->limit - arena->total)
            return NULL;
        block = malloc(sizeof *block + room);
        if (!block)
            return NULL;
        *block = (struct arena_block){.next = arena->blocks, .size = room};
        arena->blocks = block;
        arena->total += room;
    }
    void *target = block->data + block->used;
    block->used += size;
    return target;
}

void arena_free(struct arena *arena) {
    while (arena->blocks) {
        struct arena_block *next = arena->blocks->next;
        free(arena->blocks);
        arena->blocks = next;
    }
    arena->total = 0;
}

// One block of the usual size stays, because rows of binds need it again.
void arena_empty(struct arena *arena) {
    struct arena_block *block = arena->blocks;
    if (!block)
        return;
    if (block->size != USUAL_BLOCK) {
        arena_free(arena);
        return;
    }
    arena->blocks = block->next;
    arena_free(arena);
    block->next = NULL;
    block->used = 0;
    arena->blocks = block;
    arena->total = block->size;
}

bool in_put(struct wire_in *in, const uint8_t *data, size_t length) {
    if (length > in->room) {
        uint8_t *grown = realloc(in->data, length);
        if (!grown)
            return false;
        in->data = grown;
        in->room = length;
    }
    in->before += in->at;
    if (length > 0)
        memcpy(in->data, data, length);
    in->length = length;
    in->at = 0;
    return true;
}

bool in_wait(struct wire_in *in) {
    in->bad = in->too_long = false;
    in->fault = NULL;
    while (in->at == in->length)
        if (!in->more || !in->more(in))
            return false;
    // Positions count from the message's first byte, wherever it stands.
    in->before = 0 - (uint64_t)in->at;
    return true;
}

void in_discard(struct wire_in *in) {
    in->at = in->length;
}

void in_refuse(struct wire_in *in, const char *fault) {
    if (!in->bad)
        in->fault = fault;
    in->bad = true;
}

uint64_t in_position(const struct wire_in *in) {
    return in->before + in->at;
}

// Whether there is a byte to take. Fetches the next piece where there is none.
static bool have(struct wire_in *in) {
    while (!in->bad && in->at == in->length)
        if (!in->more || !in->more(in))
            in->bad = true;
    return !in->bad;
}

// How many of `length` bytes are in the current piece; at least one if any
// is to come at all.
static size_t at_once(struct wire_in *in, size_t length) {
    if (length == 0 || !have(in))
        return 0;
    const size_t available = in->length - in->at;
    return length < available ? length : available;
}

static bool copy(struct wire_in *in, uint8_t *to, size_t length) {
    size_t n;
    while ((n = at_once(in, length)) > 0) {
        memcpy(to, in->data + in->at, n);
        in->at += n;
        to += n;
        length -= n;
    }
    return length == 0;
}

uint8_t in_u8(struct wire_in *in) {
    return have(in) ? in->data[in->at++] : 0;
}

void in_skip(struct wire_in *in, size_t length) {
    size_t n;
    while ((n = at_once(in, length)) > 0) {
        in->at += n;
        length -= n;
    }
}

uint64_t in_ub(struct wire_in *in) {
    uint8_t size = in_u8(in);
    uint64_t value = 0;
    if (size > 8)
        in_refuse(in, "a number of more than 8 bytes");
    while (size-- > 0 && !in->bad)
        value = value << 8 | in_u8(in);
    return in->bad ? 0 : value;
}

uint32_t in_ub4(struct wire_in *in) {
    uint64_t value = in_ub(in);
    if (value > UINT32_MAX)
        in_refuse(in, "a number of more than 4 bytes");
    return in->bad ? 0 : (uint32_t)value;
}

static void refuse_length(struct wire_in *in) {
    if (!in->bad)
        in->too_long = true;
    in_refuse(in, "a value too long for the server's memory");
}

struct bytes in_raw(struct wire_in *in, size_t length) {
    struct bytes none = {NULL, 0};
    if (length == 0 || in->bad)
        return none;
    uint8_t *to = length < SIZE_MAX ? arena_take(in->arena, length + 1) : NULL;
    if (!to) {
        refuse_length(in);
        return none;
    }
    if (!copy(in, to, length))
        return none;
    to[length] = '\0';
    return (struct bytes){to, length};
}

// Makes room for `length` bytes in a block that is not in the arena yet.
static struct arena_block *grow(struct arena *arena, struct arena_block *block,
                                size_t length) {
    const size_t limit = arena->limit - arena->total;
    if (length > limit)
        return NULL;
    if (block && length <= block->size)
        return block;
    const size_t room = length > limit / 2 ? limit : 2 * length;
    struct arena_block *grown = realloc(block, sizeof *block + room);
    if (grown)
        grown->size = room;
    return grown;
}

// The sum of the chunks is known only with the last one.
static struct bytes in_chunks(struct wire_in *in) {
    struct arena_block *block = NULL;
    size_t total = 0, chunk;
    while ((chunk = in->big_chunks ? in_ub4(in) : in_u8(in)) > 0) {
        struct arena_block *grown = grow(in->arena, block, total + chunk + 1);
        if (!grown) {
            refuse_length(in);
            break;
        }
        block = grown;
        copy(in, block->data + total, chunk);
        total += chunk;
    }
    if (in->bad || total == 0) {
        free(block);
        return (struct bytes){NULL, 0};
    }
    block->data[total] = '\0';
    block->used = block->size; // nothing else goes in
    block->next = in->arena->blocks;
    in->arena->blocks = block;
    in->arena->total += block->size;
    return (struct bytes){block->data, total};
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
