// SPDX-License-Identifier: GPL-2.0-or-later
// The result cache's memory: blocks, the objects in them, how these are found,
// and which is given up first. All of it only with the latch held exclusively,
// except for result_object().
#ifndef ORALAB_RESULT_BLOCKS_H
#define ORALAB_RESULT_BLOCKS_H

#include "process/sga.h"

// Bytes of rows in a result's first block, and in any other.
enum {
    RESULT_DATA_BYTES = RESULT_BLOCK_BYTES - 16,
    RESULT_FIRST_BYTES = RESULT_DATA_BYTES - (int)sizeof(struct result_head),
};

static inline struct result_head *result_head(struct result_cache *cache,
                                              uint32_t at) {
    return &cache->block[at].head;
}

// The object of that type and key; 0: none. With the latch held in any mode.
uint32_t result_object(const struct result_cache *cache,
                       enum result_block_type type,
                       const uint8_t key[RESULT_KEY_BYTES]);
// A free block, if need be one of the result that was found longest ago; 0 if
// there is none.
uint32_t result_block_take(struct sga *sga);
void result_block_give(struct result_cache *cache, uint32_t at);
// Makes the block the first one of an object and lets it be found.
void result_object_add(struct result_cache *cache, uint32_t at,
                       enum result_block_type type,
                       const struct result_key *key);
// Frees the object with all its blocks.
void result_object_free(struct result_cache *cache, uint32_t at);
// Whether the result is half made by a session that is over.
bool result_is_orphan(const struct sga *sga, uint32_t at);
// Puts a new result where results are used last.
void result_place_newest(struct result_cache *cache, uint32_t at);
// The result keeps its blocks until they are needed, but is not found.
void result_invalidate(struct result_cache *cache, uint32_t at);
// Gives up everything.
void result_cache_reset(struct result_cache *cache);

#endif
