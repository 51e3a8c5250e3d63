// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/execute/pga.h"

#include <sqlite3.h>
#include <stddef.h>

// Once the limit is reached, undoing the statement may take this much more.
enum { RESERVE_BYTES = 4 << 20 };

static sqlite3_mem_methods inner;
static int64_t used_bytes, limit;
static bool exceeded;
bool pga_in_buffer_cache;

static void count(int64_t bytes) {
    if (!pga_in_buffer_cache)
        used_bytes += bytes;
}

// Whether `bytes` more are allowed.
static bool has_room(int64_t bytes) {
    if (pga_in_buffer_cache ||
        used_bytes + bytes <= limit + (exceeded ? RESERVE_BYTES : 0))
        return true;
    exceeded = true;
    return false;
}

static void *allocate(int bytes) {
    void *memory = has_room(bytes) ? inner.xMalloc(bytes) : NULL;
    if (memory)
        count(inner.xSize(memory));
    return memory;
}

static void release(void *memory) {
    count(-(int64_t)inner.xSize(memory));
    inner.xFree(memory);
}

static void *resize(void *memory, int bytes) {
    const int64_t old_bytes = inner.xSize(memory);
    void *moved = bytes <= old_bytes || has_room(bytes - old_bytes)
                      ? inner.xRealloc(memory, bytes)
                      : NULL;
    if (moved)
        count(inner.xSize(moved) - old_bytes);
    return moved;
}

bool pga_install(uint64_t limit_bytes) {
    limit = (int64_t)limit_bytes;
    exceeded = false;
    if (inner.xMalloc)
        return true;
    if (sqlite3_config(SQLITE_CONFIG_GETMALLOC, &inner) != SQLITE_OK)
        return false;
    sqlite3_mem_methods outer = inner;
    outer.xMalloc = allocate;
    outer.xFree = release;
    outer.xRealloc = resize;
    return sqlite3_config(SQLITE_CONFIG_MALLOC, &outer) == SQLITE_OK;
}

void pga_begin_call(void) {
    exceeded = false;
}

bool pga_is_exceeded(void) {
    return exceeded;
}
