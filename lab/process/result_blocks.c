// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/result_blocks.h"

#include <string.h>

static uint32_t *bucket_of(struct result_cache *cache,
                           const uint8_t key[RESULT_KEY_BYTES]) {
    return &cache->bucket[(key[0] << 8 | key[1]) % RESULT_BUCKETS];
}

uint32_t result_object(const struct result_cache *cache,
                       enum result_block_type type,
                       const uint8_t key[RESULT_KEY_BYTES]) {
    uint32_t block_index = *bucket_of((struct result_cache *)cache, key);
    while (block_index && (cache->block[block_index].type != type ||
                           memcmp(cache->block[block_index].head.key.digest,
                                  key, RESULT_KEY_BYTES) != 0))
        block_index = cache->block[block_index].head.next_in_bucket;
    return block_index;
}

static void leave_bucket(struct result_cache *cache, uint32_t at) {
    uint32_t *link = bucket_of(cache, result_head(cache, at)->key.digest);
    while (*link && *link != at)
        link = &result_head(cache, *link)->next_in_bucket;
    if (*link)
        *link = result_head(cache, at)->next_in_bucket;
}

static void leave_order(struct result_cache *cache, uint32_t at) {
    const struct result_head *head = result_head(cache, at);
    if (cache->newest == at)
        cache->newest = head->older;
    else if (head->newer)
        result_head(cache, head->newer)->older = head->older;
    if (cache->oldest == at)
        cache->oldest = head->newer;
    else if (head->older)
        result_head(cache, head->older)->newer = head->newer;
}

// Places it before `older` (0: as the oldest).
static void enter_order(struct result_cache *cache, uint32_t at,
                        uint32_t older) {
    struct result_head *head = result_head(cache, at);
    head->older = older;
    head->newer = older ? result_head(cache, older)->newer : cache->oldest;
    if (older)
        result_head(cache, older)->newer = at;
    else
        cache->oldest = at;
    if (head->newer)
        result_head(cache, head->newer)->older = at;
    else
        cache->newest = at;
}

void result_place_newest(struct result_cache *cache, uint32_t at) {
    struct result_head *head = result_head(cache, at);
    head->used = head->placed = ++cache->clock;
    enter_order(cache, at, cache->newest);
}

// A find only notes its time, because others may share the latch.
static void place_by_use(struct result_cache *cache, uint32_t at) {
    struct result_head *head = result_head(cache, at);
    leave_order(cache, at);
    head->placed = head->used;
    uint32_t older = cache->newest;
    while (older && result_head(cache, older)->placed > head->placed)
        older = result_head(cache, older)->older;
    enter_order(cache, at, older);
}

static bool is_pinned(const struct result_cache *cache, uint32_t at) {
    for (int i = 0; i < SGA_SESSIONS; i++)
        if (cache->pin[i] == at)
            return true;
    return false;
}

// The result to give up: invalid ones are the oldest. 0: all are being read.
static uint32_t oldest_unpinned(struct result_cache *cache) {
    uint32_t block_index = cache->oldest;
    while (block_index) {
        const struct result_head *head = result_head(cache, block_index);
        if (head->used > head->placed) {
            place_by_use(cache, block_index);
            block_index = cache->oldest;
        } else if (is_pinned(cache, block_index)) {
            block_index = head->newer;
        } else {
            return block_index;
        }
    }
    return 0;
}

bool result_is_orphan(const struct sga *sga, uint32_t at) {
    const struct result_block *block = &sga->result_cache.block[at];
    if (block->type != RESULT_BLOCK_RESULT || block->status != RESULT_NEW)
        return false;
    const struct session_slot *slot = &sga->session[block->head.creator - 1];
    return slot->pid == 0 || slot->serial != block->head.creator_serial;
}

static bool free_orphans(struct sga *sga) {
    struct result_cache *cache = &sga->result_cache;
    for (uint32_t at = 1; at <= cache->taken; at++)
        if (result_is_orphan(sga, at))
            result_object_free(cache, at);
    return cache->free != 0;
}

static void take_chunk(struct result_cache *cache) {
    for (int i = 0; i < RESULT_CHUNK && cache->taken < cache->limit; i++) {
        cache->used++; // result_block_give() takes it off again
        result_block_give(cache, ++cache->taken);
    }
}

static bool make_room(struct sga *sga) {
    struct result_cache *cache = &sga->result_cache;
    take_chunk(cache);
    if (cache->free)
        return true;
    const uint32_t block_index = oldest_unpinned(cache);
    if (!block_index)
        return free_orphans(sga);
    if (cache->block[block_index].status == RESULT_INVALID)
        cache->statistics.deleted_invalid++;
    else
        cache->statistics.deleted_valid++;
    result_object_free(cache, block_index);
    return true;
}

uint32_t result_block_take(struct sga *sga) {
    struct result_cache *cache = &sga->result_cache;
    if (!cache->free && !make_room(sga))
        return 0;
    const uint32_t block_index = cache->free;
    cache->free = cache->block[block_index].next;
    cache->block[block_index].next = 0;
    cache->block[block_index].type = RESULT_BLOCK_DATA;
    cache->block[block_index].object = block_index;
    cache->block[block_index].position = 0;
    cache->used++;
    return block_index;
}

void result_block_give(struct result_cache *cache, uint32_t at) {
    cache->block[at].type = RESULT_BLOCK_FREE;
    cache->block[at].object = cache->block[at].position = 0;
    cache->block[at].next = cache->free;
    cache->free = at;
    cache->used--;
}

void result_object_add(struct result_cache *cache, uint32_t at,
                       enum result_block_type type,
                       const struct result_key *key) {
    uint32_t *bucket = bucket_of(cache, key->digest);
    struct result_block *block = &cache->block[at];
    block->head = (struct result_head){
        .key = *key, .next_in_bucket = *bucket, .blocks = 1};
    block->status = RESULT_NEW;
    block->type = (uint8_t)type;
    *bucket = at;
}

// Its tables have one valid result less.
static void leave_tables(struct result_cache *cache, uint32_t at) {
    const struct result_head *head = result_head(cache, at);
    for (unsigned i = 0; i < head->tables; i++)
        result_head(cache, head->table[i])->dependents--;
}

void result_object_free(struct result_cache *cache, uint32_t at) {
    if (cache->block[at].status == RESULT_PUBLISHED)
        leave_tables(cache, at);
    if (cache->block[at].status != RESULT_NEW)
        leave_order(cache, at);
    if (cache->block[at].status != RESULT_INVALID)
        leave_bucket(cache, at);
    while (at) {
        const uint32_t next = cache->block[at].next;
        result_block_give(cache, at);
        at = next;
    }
}

void result_invalidate(struct result_cache *cache, uint32_t at) {
    struct result_head *head = result_head(cache, at);
    leave_tables(cache, at);
    leave_bucket(cache, at);
    cache->block[at].status = RESULT_INVALID;
    head->used = 0;
    place_by_use(cache, at);
    cache->statistics.invalidated++;
}

void result_cache_reset(struct result_cache *cache) {
    memset(cache->bucket, 0, sizeof cache->bucket);
    memset(cache->pin, 0, sizeof cache->pin);
    cache->taken = cache->free = cache->used = cache->tables = 0;
    cache->newest = cache->oldest = 0;
    cache->generation++;
}
