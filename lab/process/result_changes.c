// SPDX-License-Identifier: GPL-2.0-or-later
// Tables that sessions have changed, and the results that end with it.
#include <string.h>

#include "process/result_latch.h"

static struct result_changes *changes_of(const struct sga *sga,
                                         const struct session_slot *self) {
    return (struct result_changes *)&sga->result_cache
        .changes[sga_sid(sga, self) - 1];
}

static bool have(const struct result_changes *changes,
                 const struct result_key *table) {
    bool is_found = changes->all;
    for (unsigned i = 0; i < changes->tables && !is_found; i++)
        is_found =
            memcmp(changes->table[i], table->digest, RESULT_KEY_BYTES) == 0;
    return is_found;
}

void result_changes_add(struct sga *sga, const struct session_slot *self,
                        const struct result_key *table) {
    struct result_changes *changes = changes_of(sga, self);
    if (have(changes, table))
        return;
    if (changes->tables == RESULT_CHANGES)
        changes->all = true;
    else
        memcpy(changes->table[changes->tables++], table->digest,
               RESULT_KEY_BYTES);
}

void result_changes_add_all(struct sga *sga, const struct session_slot *self) {
    changes_of(sga, self)->all = true;
}

bool result_changes_include(const struct sga *sga,
                            const struct session_slot *self,
                            const struct result_key *table) {
    return have(changes_of(sga, self), table);
}

bool result_is_changing(const struct result_cache *cache,
                        const struct result_search *search) {
    for (int i = 0; i < SGA_SESSIONS; i++) {
        const struct result_changes *changes = &cache->changes[i];
        if (!__atomic_load_n(&cache->committing[i], __ATOMIC_SEQ_CST))
            continue;
        for (unsigned j = 0; j < search->tables; j++)
            if (have(changes, &search->table[j]))
                return true;
    }
    return false;
}

// The table is `at`; 0: any.
static bool depends_on(const struct result_head *head, uint32_t at) {
    bool is_found = !at;
    for (unsigned i = 0; i < head->tables && !is_found; i++)
        is_found = head->table[i] == at;
    return is_found;
}

// With the latch. Returns how many results became invalid.
static unsigned invalidate_dependents(struct result_cache *cache,
                                      uint32_t table) {
    unsigned count = 0;
    for (uint32_t at = cache->newest, older; at; at = older) {
        older = result_head(cache, at)->older;
        if (cache->block[at].status == RESULT_PUBLISHED &&
            depends_on(result_head(cache, at), table)) {
            result_invalidate(cache, at);
            count++;
        }
    }
    return count;
}

static unsigned invalidate_table(struct result_cache *cache,
                                 const uint8_t key[RESULT_KEY_BYTES]) {
    const uint32_t block_index =
        result_object(cache, RESULT_BLOCK_DEPENDENCY, key);
    if (!block_index)
        return 0;
    struct result_head *head = result_head(cache, block_index);
    head->changed = __atomic_load_n(&cache->commits, __ATOMIC_SEQ_CST);
    const unsigned count =
        head->dependents > 0 ? invalidate_dependents(cache, block_index) : 0;
    head->invalidations += count;
    return count;
}

static void invalidate_all(struct result_cache *cache) {
    const uint64_t current = __atomic_load_n(&cache->commits, __ATOMIC_SEQ_CST);
    for (uint32_t at = 1; at <= cache->taken; at++)
        if (cache->block[at].type == RESULT_BLOCK_DEPENDENCY)
            result_head(cache, at)->changed = current;
    invalidate_dependents(cache, 0);
}

static bool *mark_of(struct sga *sga, const struct session_slot *self) {
    return &sga->result_cache.committing[sga_sid(sga, self) - 1];
}

// Statements that were parsed before this or during it are parsed again.
static void age_definitions(struct result_cache *cache) {
    __atomic_fetch_add(&cache->definitions, 1, __ATOMIC_SEQ_CST);
}

static void tick(struct result_cache *cache) {
    __atomic_fetch_add(&cache->commits, 1, __ATOMIC_SEQ_CST);
}

// A commit marks itself, then the clock ticks. So who sees no mark behind the
// time sees all that was committed by then, and later changes are later.
uint64_t result_changes_now(const struct sga *sga) {
    const struct result_cache *cache = &sga->result_cache;
    const uint64_t current = __atomic_load_n(&cache->commits, __ATOMIC_SEQ_CST);
    return memchr(cache->committing, true, sizeof cache->committing)
               ? 0
               : current + 1;
}

// First the mark, then whether there is anything to make invalid. A session
// that wants to keep a result does it the other way round: it first makes its
// tables known, then looks for marks. So one of both sees the other.
void result_changes_commit(struct sga *sga, struct session_slot *self) {
    struct result_cache *cache = &sga->result_cache;
    struct result_changes *changes = changes_of(sga, self);
    if (cache->limit == 0 || (!changes->all && changes->tables == 0))
        return;
    __atomic_store_n(mark_of(sga, self), true, __ATOMIC_SEQ_CST);
    tick(cache);
    if (changes->all)
        age_definitions(cache);
    if (__atomic_load_n(&cache->tables, __ATOMIC_SEQ_CST) == 0)
        return;
    result_latch_get(sga, self, LATCH_EXCLUSIVE, WHERE_INVALIDATE);
    if (changes->all)
        invalidate_all(cache);
    for (unsigned i = 0; i < changes->tables && !changes->all; i++)
        invalidate_table(cache, changes->table[i]);
    kslfre(sga, self);
}

void result_changes_end(struct sga *sga, const struct session_slot *self,
                        bool over) {
    struct result_changes *changes = changes_of(sga, self);
    if (changes->all)
        age_definitions(&sga->result_cache);
    if (over) {
        changes->tables = 0;
        changes->all = false;
    }
    __atomic_store_n(mark_of(sga, self), false, __ATOMIC_SEQ_CST);
}

void result_cache_flush(struct sga *sga, struct session_slot *self) {
    result_latch_get(sga, self, LATCH_EXCLUSIVE, WHERE_ADMINISTER);
    result_cache_reset(&sga->result_cache);
    kslfre(sga, self);
}

unsigned result_cache_invalidate(struct sga *sga, struct session_slot *self,
                                 const struct result_key *table) {
    result_latch_get(sga, self, LATCH_EXCLUSIVE, WHERE_ADMINISTER);
    tick(&sga->result_cache);
    const unsigned count = invalidate_table(&sga->result_cache, table->digest);
    kslfre(sga, self);
    return count;
}
