// SPDX-License-Identifier: GPL-2.0-or-later
// v$result_cache_objects and v$result_cache_dependency, read without the latch.
#include <sqlite3.h>
#include <stdio.h>

#include "process/result_blocks.h"
#include "sql/views/dictionary.h"
#include "sql/views/fixed_table.h"
#include "sql/views/result_block_columns.h"

static bool is_result(const struct result_block *block) {
    return block->type == RESULT_BLOCK_RESULT;
}

static bool is_object(const struct database *database, int row) {
    const struct result_block *block =
        &database->sga->result_cache.block[row + 1];
    return result_block_is_taken(database, row) &&
           (is_result(block) || block->type == RESULT_BLOCK_DEPENDENCY);
}

static void type(const struct fixed_cell *cell) {
    fixed_text(cell,
               is_result(result_block_of(cell)) ? "Result" : "Dependency");
}

static void status(const struct fixed_cell *cell) {
    static const char *const names[] = {[RESULT_NEW] = "New",
                                        [RESULT_PUBLISHED] = "Published",
                                        [RESULT_INVALID] = "Invalid"};
    fixed_text(cell, names[result_block_of(cell)->status % 3]);
}

static void object_name(const struct fixed_cell *cell) {
    char name[RESULT_NAME + 1];
    snprintf(name, sizeof name, "%.*s", RESULT_NAME - 1,
             result_block_of(cell)->head.key.name);
    fixed_text(cell, name);
}

static void space(const struct fixed_cell *cell) {
    const struct result_block *block = result_block_of(cell);
    fixed_text(cell, !is_result(block)   ? ""
                     : block->head.plsql ? "PLSQL"
                                         : "SQL");
}

static void created(const struct fixed_cell *cell) {
    fixed_date(cell, result_block_of(cell)->head.created);
}

static void creator(const struct fixed_cell *cell) {
    fixed_integer(cell, USER_NUMBER);
}

static void depend_count(const struct fixed_cell *cell) {
    const struct result_block *block = result_block_of(cell);
    fixed_integer(cell, is_result(block) ? block->head.tables
                                         : block->head.dependents);
}

static void pins(const struct fixed_cell *cell) {
    unsigned count = 0;
    for (int i = 0; i < SGA_SESSIONS; i++)
        count += result_cache_of(cell)->pin[i] == (uint32_t)cell->row + 1;
    fixed_integer(cell, count);
}

static void bucket(const struct fixed_cell *cell) {
    const uint8_t *key = result_block_of(cell)->head.key.digest;
    fixed_integer(cell, (key[0] << 8 | key[1]) % RESULT_BUCKETS);
}

static void key_hash(const struct fixed_cell *cell) {
    const uint8_t *key = result_block_of(cell)->head.key.digest;
    fixed_integer(cell, (int64_t)((uint32_t)key[0] << 24 | key[1] << 16 |
                                  key[2] << 8 | key[3]));
}

static void cache_id(const struct fixed_cell *cell) {
    char text[2 * RESULT_KEY_BYTES + 1];
    for (int i = 0; i < RESULT_KEY_BYTES; i++)
        snprintf(text + 2 * i, 3, "%02x",
                 result_block_of(cell)->head.key.digest[i]);
    fixed_text(cell, text);
}

static void head_u32(const struct fixed_cell *cell) {
    const char *position =
        (const char *)&result_block_of(cell)->head + cell->column->offset;
    fixed_integer(cell, *(const uint32_t *)position);
}

static void head_u64(const struct fixed_cell *cell) {
    const char *position =
        (const char *)&result_block_of(cell)->head + cell->column->offset;
    fixed_integer(cell, *(const int64_t *)position);
}

static void build_time(const struct fixed_cell *cell) { // hundredths of a s
    fixed_integer(cell,
                  (int64_t)(result_block_of(cell)->head.build_us / 10000));
}

static void unused(const struct fixed_cell *cell) {
    const struct result_head *head = &result_block_of(cell)->head;
    if (is_result(result_block_of(cell)))
        fixed_integer(cell, (int64_t)head->blocks * RESULT_DATA_BYTES -
                                (int64_t)sizeof *head - (int64_t)head->bytes);
}

#define HEAD(name, how, member)                                                \
    { name, "NUMBER", how, offsetof(struct result_head, member) }

static const struct fixed_column objects[] = {
    {"ID", "NUMBER", result_row_number},
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
    return &result_cache_of(cell)->block[cell->row / RESULT_TABLES + 1].head;
}

static bool depends(const struct database *database, int row) {
    const struct result_block *block =
        &database->sga->result_cache.block[row / RESULT_TABLES + 1];
    return result_block_is_taken(database, row / RESULT_TABLES) &&
           is_result(block) && block->status != RESULT_NEW &&
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

const struct fixed_table result_object_views[] = {
    {"V$RESULT_CACHE_OBJECTS", objects, RESULT_MOST_BLOCKS, is_object},
    {"V$RESULT_CACHE_DEPENDENCY", dependency, RESULT_MOST_BLOCKS *RESULT_TABLES,
     depends},
    {0},
};
