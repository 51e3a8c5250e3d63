// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/parse/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHUNK = 16 << 10,
    ALIGNMENT = 16,
    MOST_BYTES = 64 << 20, // of one statement
};

struct memory_chunk {
    struct memory_chunk *next;
    _Alignas(ALIGNMENT) char bytes[];
};

static bool grow(struct tree_memory *memory, size_t bytes) {
    const size_t room = bytes > CHUNK ? bytes : CHUNK;
    struct memory_chunk *chunk =
        memory->total + room > MOST_BYTES ? NULL : malloc(sizeof *chunk + room);
    if (!chunk)
        return false;
    chunk->next = memory->chunk;
    memory->chunk = chunk;
    memory->room = room;
    memory->used = 0;
    memory->total += room;
    return true;
}

void *tree_memory_take(struct tree_memory *memory, size_t bytes) {
    bytes = (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (bytes > memory->room - memory->used && !grow(memory, bytes))
        return NULL;
    void *memory_start = memory->chunk->bytes + memory->used;
    memory->used += bytes;
    return memset(memory_start, 0, bytes);
}

void tree_memory_free(struct tree_memory *memory) {
    while (memory->chunk) {
        struct memory_chunk *next = memory->chunk->next;
        free(memory->chunk);
        memory->chunk = next;
    }
    *memory = (struct tree_memory){0};
}
