// SPDX-License-Identifier: GPL-2.0-or-later
// Rows on their way into the result cache.
#include <string.h>
#include <time.h>

#include "process/result_latch.h"

static uint64_t blocks_for(uint64_t bytes) {
    return bytes <= RESULT_FIRST_BYTES
               ? 1
               : 1 + (bytes - RESULT_FIRST_BYTES + RESULT_DATA_BYTES - 1) /
                         RESULT_DATA_BYTES;
}

uint64_t result_cache_most(const struct sga *sga) {
    const uint64_t blocks =
        (uint64_t)sga->result_cache.limit * RESULT_SHARE_PERCENT / 100;
    return blocks > 0 ? RESULT_FIRST_BYTES + (blocks - 1) * RESULT_DATA_BYTES
                      : 0;
}

void result_cache_refused(struct sga *sga) {
    __atomic_fetch_add(&sga->result_cache.statistics.create_failed, 1,
                       __ATOMIC_RELAXED);
}

// The tables are as they were read, and nobody changes them.
static bool is_of_now(const struct result_cache *cache,
                      const struct result_search *search) {
    if (cache->generation != search->generation ||
        result_is_changing(cache, search))
        return false;
    for (unsigned i = 0; i < search->tables; i++)
        if (cache->block[search->at[i]].head.changed >= search->since)
            return false;
    return true;
}

// A result that is being read: its blocks so far, and the bytes that remain.
struct growing {
    uint32_t first, last; // 0: it has no block yet
    const uint8_t *from;
    uint64_t remaining;
};

static void fill(struct result_cache *cache, struct growing *result,
                 uint32_t at) {
    const size_t offset = result->first ? 0 : sizeof(struct result_head);
    const uint64_t room = RESULT_DATA_BYTES - offset;
    const uint64_t part = result->remaining < room ? result->remaining : room;
    if (part > 0)
        memcpy(cache->block[at].data + offset, result->from, part);
    result->from += part;
    result->remaining -= part;
    if (result->first) {
        cache->block[result->last].next = at;
        cache->block[at].object = result->first;
        cache->block[at].position = cache->block[result->last].position + 1;
        result_head(cache, result->first)->blocks++;
    }
    result->first = result->first ? result->first : at;
    result->last = at;
}

// Whether nobody has made the result, or has begun to and is over.
static bool is_absent(struct sga *sga, const uint8_t key[RESULT_KEY_BYTES]) {
    struct result_cache *cache = &sga->result_cache;
    const uint32_t block_index = result_object(cache, RESULT_BLOCK_RESULT, key);
    if (block_index && result_is_orphan(sga, block_index)) {
        result_object_free(cache, block_index);
        return true;
    }
    return !block_index;
}

// Takes one more block and fills it. False if there is none, or if another
// session was first to make the same result.
static bool grow(struct sga *sga, struct session_slot *self,
                 const struct result_search *search, struct growing *result) {
    struct result_cache *cache = &sga->result_cache;
    const uint8_t *key = search->key->digest;
    uint32_t block_index = 0;
    result_latch_get(sga, self, LATCH_EXCLUSIVE, WHERE_ALLOCATE);
    const bool requested = cache->generation == search->generation &&
                           (result->first || is_absent(sga, key));
    if (requested && !(block_index = result_block_take(sga))) {
        if (result->first)
            result_object_free(cache, result->first);
        cache->statistics.create_failed++;
    }
    if (block_index && !result->first) {
        result_object_add(cache, block_index, RESULT_BLOCK_RESULT, search->key);
        result_head(cache, block_index)->creator = sga_sid(sga, self);
        result_head(cache, block_index)->creator_serial = self->serial;
        result_head(cache, block_index)->plsql = search->plsql;
    }
    if (block_index)
        fill(cache, result, block_index);
    kslfre(sga, self);
    return block_index;
}

// Publishes the result and pins it; frees it if it is none of now.
static bool publish(struct sga *sga, struct session_slot *self,
                    const struct result_search *search, uint32_t at,
                    const struct result_size *size, uint64_t build_us) {
    struct result_cache *cache = &sga->result_cache;
    result_latch_get(sga, self, LATCH_EXCLUSIVE, WHERE_PUBLISH);
    const bool is_same = cache->generation == search->generation;
    const bool published = is_same && is_of_now(cache, search);
    if (published) {
        struct result_head *head = result_head(cache, at);
        head->bytes = size->bytes;
        head->rows = size->rows;
        head->columns = size->columns;
        head->build_us = build_us;
        head->created = time(NULL);
        head->tables = search->tables;
        memcpy(head->table, search->at, sizeof head->table);
        for (unsigned i = 0; i < search->tables; i++)
            result_head(cache, search->at[i])->dependents++;
        cache->block[at].status = RESULT_PUBLISHED;
        result_place_newest(cache, at);
        cache->pin[sga_sid(sga, self) - 1] = at;
        cache->statistics.created++;
    } else if (is_same) {
        result_object_free(cache, at);
        cache->statistics.create_failed++;
    }
    kslfre(sga, self);
    return published;
}

void result_cache_keep(struct sga *sga, struct session_slot *self,
                       const struct result_search *search,
                       const struct result_size *size, const void *bytes,
                       uint64_t build_us) {
    const uint64_t blocks = blocks_for(size->bytes);
    struct growing result = {.from = bytes, .remaining = size->bytes};
    if (size->bytes > result_cache_most(sga)) {
        result_cache_refused(sga);
        return;
    }
    for (uint64_t i = 0; i < blocks; i++)
        if (!grow(sga, self, search, &result))
            return;
    if (publish(sga, self, search, result.first, size, build_us))
        result_cache_unpin(sga, self, search);
}
