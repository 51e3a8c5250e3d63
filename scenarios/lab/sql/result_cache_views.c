// SPDX-License-Identifier: GPL-2.0-or-later
// v$result_cache_statistics, v$result_cache_memory, v$result_cache_objects and
// v$result_cache_dependency. They are read without the latch, so that a look at
// it counts no gets: of what changes meanwhile they may show a part.
#include <sqlite3.h>
#include <stdio.h>

#include "process/result_blocks.h"
#include "sql/dictionary.h"
#include "sql/fixed_table.h"

static const struct result_cache *cache_of(const struct fixed_cell *cell) {
    return &cell->database->sga->result_cache;
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
    const struct result_cache *cache = cache_of(cell);
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

static void one_more(const struct fixed_cell *cell) {
    fixed_integer(cell, cell->row + 1);
}

static const struct fixed_column statistic_columns[] = {
    {"ID", "NUMBER", one_more},
    {"NAME", "VARCHAR2(128)", statistic_name},
    {"VALUE", "VARCHAR2(128)", statistic_value},
    {"CON_ID", "NUMBER", fixed_zero},
    {0},
};

// Block n is in row n - 1.
static const struct result_block *block_of(const struct fixed_cell *cell) {
    return &cache_of(cell)->block[cell->row + 1];
}

static bool is_taken(const struct database *database, int row) {
    return (uint32_t)row < database->sga->result_cache.taken;
}

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
    fixed_text(cell, is_used(block_of(cell)) ? "NO" : "YES");
}

static void object(const struct fixed_cell *cell) {
    if (is_used(block_of(cell)))
        fixed_integer(cell, block_of(cell)->object);
}

static void position(const struct fixed_cell *cell) {
    if (is_used(block_of(cell)))
        fixed_integer(cell, block_of(cell)->position);
}

static const struct fixed_column memory[] = {
    {"ID", "NUMBER", one_more},       {"CHUNK", "NUMBER", chunk},
    {"OFFSET", "NUMBER", offset},     {"FREE", "VARCHAR2(3)", is_free},
    {"OBJECT_ID", "NUMBER", object},  {"POSITION", "NUMBER", position},
    {"CON_ID", "NUMBER", fixed_zero}, {0},
};

static bool is_result(const struct result_block *block) {
    return block->type == RESULT_BLOCK_RESULT;
}

static bool is_object(const struct database *database, int row) {
    const struct result_block *block =
        &database->sga->result_cache.block[row + 1];
    return is_taken(database, row) &&
           (is_result(block) || block->type == RESULT_BLOCK_DEPENDENCY);
}

static void type(const struct fixed_cell *cell) {
    fixed_text(cell, is_result(block_of(cell)) ? "Result" : "Dependency");
}

static void status(const struct fixed_cell *cell) {
    static const char *const names[] = {[RESULT_NEW] = "New",
                                        [RESULT_PUBLISHED] = "Published",
                                        [RESULT_INVALID] = "Invalid"};
    fixed_text(cell, names[block_of(cell)->status % 3]);
}

static void object_name(const struct fixed_cell *cell) {
    char name[RESULT_NAME + 1];
    snprintf(name, sizeof name, "%.*s", RESULT_NAME - 1,
             block_of(cell)->head.key.name);
    fixed_text(cell, name);
}

static void space(const struct fixed_cell *cell) {
    fixed_text(cell, is_result(block_of(cell)) ? "SQL" : "");
}

static void created(const struct fixed_cell *cell) {
    fixed_date(cell, block_of(cell)->head.created);
}

static void creator(const struct fixed_cell *cell) {
    fixed_integer(cell, USER_NUMBER);
}

static void depend_count(const struct fixed_cell *cell) {
    const struct result_block *block = block_of(cell);
    fixed_integer(cell, is_result(block) ? block->head.tables
                                         : block->head.dependents);
}

static void pins(const struct fixed_cell *cell) {
    unsigned count = 0;
    for (int i = 0; i < SGA_SESSIONS; i++)
        count += cache_of(cell)->pin[i] == (uint32_t)cell->row + 1;
    fixed_integer(cell, count);
}

static void bucket(const struct fixed_cell *cell) {
    const uint8_t *key = block_of(cell)->head.key.digest;
    fixed_integer(cell, (key[0] << 8 | key[1]) % RESULT_BUCKETS);
}

static void key_hash(const struct fixed_cell *cell) {
    const uint8_t *key = block_of(cell)->head.key.digest;
    fixed_integer(cell, (int64_t)((uint32_t)key[0] << 24 | key[1] << 16 |
                                  key[2] << 8 | key[3]));
}

static void cache_id(const struct fixed_cell *cell) {
    char text[2 * RESULT_KEY_BYTES + 1];
    for (int i = 0; i < RESULT_KEY_BYTES; i++)
        snprintf(text + 2 * i, 3, "%02x", block_of(cell)->head.key.digest[i]);
    fixed_text(cell, text);
}

static void head_u32(const struct fixed_cell *cell) {
    const char *at = (const char *)&block_of(cell)->head + cell->column->offset;
    fixed_integer(cell, *(const uint32_t *)at);
}

static void head_u64(const struct fixed_cell *cell) {
    const char *at = (const char *)&block_of(cell)->head + cell->column->offset;
    fixed_integer(cell, *(const int64_t *)at);
}

static void build_time(const struct fixed_cell *cell) { // hundredths of a s
    fixed_integer(cell, (int64_t)(block_of(cell)->head.build_us / 10000));
}

static void unused(const struct fixed_cell *cell) {
    const struct result_head *head = &block_of(cell)->head;
    if (is_result(block_of(cell)))
        fixed_integer(cell, (int64_t)head->blocks * RESULT_DATA_BYTES -
                                (int64_t)sizeof *head - (int64_t)head->bytes);
}

#define HEAD(name, how, member)                                                \
    { name, "NUMBER", how, offsetof(struct result_head, member) }

static const struct fixed_column objects[] = {
    {"ID", "NUMBER", one_more},
    {"TYPE", "VARCHAR2(10)", type},
    {"STATUS", "VARCHAR2(9)", status},
    {"BUCKET_NO", "NUMBER", bucket},
    {"HASH", "NUMBER", key_hash},
    {"NAME", "VARCHAR2(128)", object_name},
    {"NAMESPACE", "VARCHAR2(5)", space},
    {"CREATION_TIMESTAMP", "DATE", created},
    {"CREATOR_UID", "NUMBER", creator},
    {"DEPEND_COUNT", "NUMBER", depend_count},
    HEAD("BLOCK_COUNT", head_u32, blocks),
    HEAD("COLUMN_COUNT", head_u32, columns),
    {"PIN_COUNT", "NUMBER", pins},
    HEAD("SCAN_COUNT", head_u64, finds),
    HEAD("ROW_COUNT", head_u64, rows),
    {"BUILD_TIME", "NUMBER", build_time},
    HEAD("LRU_NUMBER", head_u64, used),
    HEAD("INVALIDATIONS", head_u64, invalidations),
    {"SPACE_UNUSED", "NUMBER", unused},
    {"CACHE_ID", "VARCHAR2(93)", cache_id},
    {"CON_ID", "NUMBER", fixed_zero},
    {0},
};

static const struct result_head *dependent_of(const struct fixed_cell *cell) {
    return &cache_of(cell)->block[cell->row / RESULT_TABLES + 1].head;
}

static bool depends(const struct database *database, int row) {
    const struct result_block *block =
        &database->sga->result_cache.block[row / RESULT_TABLES + 1];
    return is_taken(database, row / RESULT_TABLES) && is_result(block) &&
           block->status != RESULT_NEW &&
           (uint32_t)(row % RESULT_TABLES) < block->head.tables;
}

static void result_id(const struct fixed_cell *cell) {
    fixed_integer(cell, cell->row / RESULT_TABLES + 1);
}

static void depend_id(const struct fixed_cell *cell) {
    fixed_integer(cell, dependent_of(cell)->table[cell->row % RESULT_TABLES]);
}

static const struct fixed_column dependency[] = {
    {"RESULT_ID", "NUMBER", result_id},
    {"DEPEND_ID", "NUMBER", depend_id},
    {"CON_ID", "NUMBER", fixed_zero},
    {0},
};

const struct fixed_table result_cache_views[] = {
    {"V$RESULT_CACHE_STATISTICS", statistic_columns, STATISTICS_OF_CACHE},
    {"V$RESULT_CACHE_MEMORY", memory, RESULT_MOST_BLOCKS, is_taken},
    {"V$RESULT_CACHE_OBJECTS", objects, RESULT_MOST_BLOCKS, is_object},
    {"V$RESULT_CACHE_DEPENDENCY", dependency, RESULT_MOST_BLOCKS *RESULT_TABLES,
     depends},
    {0},
};
