// SPDX-License-Identifier: GPL-2.0-or-later
// Memory that is freed all at once: a statement's tree.
#ifndef ORALAB_TREE_MEMORY_H
#define ORALAB_TREE_MEMORY_H

#include <stddef.h>

struct tree_memory {
    struct memory_chunk *chunk;
    size_t used, room; // of the newest chunk
    size_t total;
};

// Zeroed memory; NULL without memory, or beyond the limit of one statement.
void *tree_memory_take(struct tree_memory *memory, size_t bytes);
void tree_memory_free(struct tree_memory *memory);

#endif
