// SPDX-License-Identifier: GPL-2.0-or-later
// v$result_cache_statistics and v$result_cache_memory, and the parts that the
// other views of the cache share (result_object_views.c). They are read without
// the latch, so that a look at it counts no gets: of changes at the same time
// they may show a part.
#include <sqlite3.h>

#include "process/result_blocks.h"
#include "sql/views/fixed_table.h"
#include "sql/views/result_block_columns.h"

const struct result_cache *result_cache_of(const struct fixed_cell *cell) {
    return &cell->database->sga->result_cache;
}

const struct result_block *result_block_of(const struct fixed_cell *cell) {
    return &result_cache_of(cell)->block[cell->row + 1];
}

bool result_block_is_taken(const struct database *database, int row) {
    return (uint32_t)row < database->sga->result_cache.taken;
}

void result_row_number(const struct fixed_cell *cell) {
    fixed_integer(cell, cell->row + 1);
}

static unsigned longest_chain(const struct result_cache *cache) {
    unsigned longest = 0;
    for (int i = 0; i < RESULT_BUCKETS; i++) {
        unsigned length = 0;
        for (uint32_t at = cache->bucket[i];
             at && at <= RESULT_MOST_BLOCKS && length <= cache->taken;
             at = cache->block[at].head.next_in_bucket)
            length++;
        if (length > longest)
            longest = length;
    }
    return longest;
}

enum { STATISTICS_OF_CACHE = 13 };

static const char *const statistic_of_cache[STATISTICS_OF_CACHE] = {
    "Block Size (Bytes)",   "Block Count Maximum",
    "Block Count Current",  "Result Size Maximum (Blocks)",
    "Create Count Success", "Create Count Failure",
    "Find Count",           "Invalidation Count",
    "Delete Count Invalid", "Delete Count Valid",
    "Hash Chain Length",    "Find Copy Count",
    "Latch (Share)",
};

static void statistic_name(const struct fixed_cell *cell) {
    fixed_text(cell, statistic_of_cache[cell->row]);
}

static void statistic_value(const struct fixed_cell *cell) {
    const struct result_cache *cache = result_cache_of(cell);
    const struct result_statistics *of = &cache->statistics;
    const uint64_t values[STATISTICS_OF_CACHE] = {
        RESULT_BLOCK_BYTES,
        cache->limit,
        cache->taken,
        (uint64_t)cache->limit * RESULT_SHARE_PERCENT / 100,
        of->created,
        of->create_failed,
        of->found,
        of->invalidated,
        of->deleted_invalid,
        of->deleted_valid,
        cell->row == 10 ? longest_chain(cache) : 0,
        of->copied,
        0, // nobody is known to hold it shared between two instructions
    };
    fixed_integer(cell, (int64_t)values[cell->row]);
}

static const struct fixed_column statistic_columns[] = {
    {"ID", "NUMBER", result_row_number},
    {"NAME", "VARCHAR2(128)", statistic_name},
    {"VALUE", "VARCHAR2(128)", statistic_value},
    {"CON_ID", "NUMBER", fixed_zero},
    {0},
};

static bool is_used(const struct result_block *block) {
    return block->type != RESULT_BLOCK_FREE;
}

static void chunk(const struct fixed_cell *cell) {
    fixed_integer(cell, cell->row / RESULT_CHUNK);
}

static void offset(const struct fixed_cell *cell) {
    fixed_integer(cell, cell->row % RESULT_CHUNK);
}

static void is_free(const struct fixed_cell *cell) {
    fixed_text(cell, is_used(result_block_of(cell)) ? "NO" : "YES");
}

static void object(const struct fixed_cell *cell) {
    if (is_used(result_block_of(cell)))
        fixed_integer(cell, result_block_of(cell)->object);
}

static void position(const struct fixed_cell *cell) {
    if (is_used(result_block_of(cell)))
        fixed_integer(cell, result_block_of(cell)->position);
}

static const struct fixed_column memory[] = {
    {"ID", "NUMBER", result_row_number}, {"CHUNK", "NUMBER", chunk},
    {"OFFSET", "NUMBER", offset},        {"FREE", "VARCHAR2(3)", is_free},
    {"OBJECT_ID", "NUMBER", object},     {"POSITION", "NUMBER", position},
    {"CON_ID", "NUMBER", fixed_zero},    {0},
};

const struct fixed_table result_cache_views[] = {
    {"V$RESULT_CACHE_STATISTICS", statistic_columns, STATISTICS_OF_CACHE},
    {"V$RESULT_CACHE_MEMORY", memory, RESULT_MOST_BLOCKS,
     result_block_is_taken},
    {0},
};
