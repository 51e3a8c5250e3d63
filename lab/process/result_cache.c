// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/result_cache.h"

#include <string.h>
#include <time.h>

#include "process/result_latch.h"

static void count(uint64_t *at) {
    __atomic_fetch_add(at, 1, __ATOMIC_RELAXED);
}

// The tables' blocks. False where one has none yet.
static bool note_tables(const struct result_cache *cache,
                        struct result_search *search) {
    bool is_known = true;
    for (unsigned i = 0; i < search->tables; i++) {
        search->at[i] = result_object(cache, RESULT_BLOCK_DEPENDENCY,
                                      search->table[i].digest);
        is_known = is_known && search->at[i];
    }
    return is_known;
}

static void add_table(struct sga *sga, const struct session_slot *self,
                      uint32_t at, const struct result_key *table) {
    struct result_cache *cache = &sga->result_cache;
    result_object_add(cache, at, RESULT_BLOCK_DEPENDENCY, table);
    cache->block[at].status = RESULT_PUBLISHED;
    cache->block[at].head.created = time(NULL);
    cache->block[at].head.creator = sga_sid(sga, self);
    // Nobody has noted when it changed last: as far as is known, just now.
    cache->block[at].head.changed =
        __atomic_load_n(&cache->commits, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&cache->tables, 1, __ATOMIC_SEQ_CST);
}

// Makes the tables known that no result has depended on: a get each.
static bool know_tables(struct sga *sga, struct session_slot *self,
                        struct result_search *search) {
    struct result_cache *cache = &sga->result_cache;
    bool is_known = true;
    for (unsigned i = 0; i < search->tables && is_known; i++) {
        const uint8_t *key = search->table[i].digest;
        if (search->at[i])
            continue;
        result_latch_get(sga, self, LATCH_EXCLUSIVE, WHERE_DEPENDENCY);
        uint32_t block_index =
            result_object(cache, RESULT_BLOCK_DEPENDENCY, key);
        if (!block_index && (block_index = result_block_take(sga)))
            add_table(sga, self, block_index, &search->table[i]);
        search->at[i] = block_index;
        is_known = block_index != 0;
        kslfre(sga, self);
    }
    // Who has marked its changes before this knew nothing of the tables.
    return is_known && !result_is_changing(cache, search);
}

bool result_cache_find(struct sga *sga, struct session_slot *self,
                       struct result_search *search) {
    struct result_cache *cache = &sga->result_cache;
    bool is_known;
    search->found = 0;
    memset(search->at, 0, sizeof search->at);
    result_latch_get(sga, self, search->mode, WHERE_FIND);
    search->generation = cache->generation;
    const uint32_t block_index =
        result_object(cache, RESULT_BLOCK_RESULT, search->key->digest);
    if (block_index && cache->block[block_index].status == RESULT_PUBLISHED) {
        struct result_head *head = result_head(cache, block_index);
        search->found = cache->pin[sga_sid(sga, self) - 1] = block_index;
        __atomic_store_n(&head->used,
                         __atomic_add_fetch(&cache->clock, 1, __ATOMIC_RELAXED),
                         __ATOMIC_RELAXED);
        count(&head->finds);
        count(&cache->statistics.found);
    }
    is_known = note_tables(cache, search);
    // Half made by another session, which is likely to finish it soon.
    search->keep = (!block_index || result_is_orphan(sga, block_index)) &&
                   !result_is_changing(cache, search);
    kslfre(sga, self);
    if (search->found || is_known || !search->keep)
        return search->found;
    // Their changes count from here on, and the query has not begun yet.
    search->keep = know_tables(sga, self, search);
    return false;
}

void result_cache_find_tables(struct sga *sga, struct session_slot *self,
                              struct result_search *search) {
    result_latch_get(sga, self, search->mode, WHERE_DEPENDENCY);
    const bool is_known = note_tables(&sga->result_cache, search);
    kslfre(sga, self);
    if (!is_known)
        search->keep = know_tables(sga, self, search);
}

unsigned result_cache_tables(const struct sga *sga,
                             const struct result_search *search,
                             struct result_key to[RESULT_TABLES]) {
    const struct result_cache *cache = &sga->result_cache;
    const struct result_head *head = &cache->block[search->found].head;
    // It may have been discarded and overwritten.
    const unsigned count =
        head->tables < RESULT_TABLES ? head->tables : RESULT_TABLES;
    for (unsigned i = 0; i < count; i++)
        to[i] =
            cache->block[head->table[i] % (RESULT_MOST_BLOCKS + 1)].head.key;
    return count;
}

struct result_size result_cache_size(const struct sga *sga,
                                     const struct result_search *search) {
    const struct result_head *head =
        &sga->result_cache.block[search->found].head;
    return (struct result_size){head->bytes, head->rows, head->columns};
}

void result_cache_copy(struct sga *sga, const struct result_search *search,
                       void *to) {
    const struct result_cache *cache = &sga->result_cache;
    uint64_t bytes_remaining = cache->block[search->found].head.bytes;
    uint8_t *next = to;
    size_t from = sizeof(struct result_head);
    for (uint32_t at = search->found; at && bytes_remaining > 0;
         at = cache->block[at].next) {
        const uint64_t room = RESULT_DATA_BYTES - from;
        const uint64_t part = bytes_remaining < room ? bytes_remaining : room;
        memcpy(next, cache->block[at].data + from, part);
        next += part;
        bytes_remaining -= part;
        from = 0;
    }
    count(&sga->result_cache.statistics.copied);
}

bool result_cache_unpin(struct sga *sga, struct session_slot *self,
                        const struct result_search *search) {
    struct result_cache *cache = &sga->result_cache;
    result_latch_get(sga, self, search->mode, WHERE_UNPIN);
    cache->pin[sga_sid(sga, self) - 1] = 0;
    const bool valid = cache->generation == search->generation;
    kslfre(sga, self);
    return valid;
}
