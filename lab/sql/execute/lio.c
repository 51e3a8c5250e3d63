// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/execute/lio.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "process/statistic.h"
#include "sql/execute/pga.h"

struct page_cache {
    sqlite3_pcache *inner;
    bool data_file;
};

static sqlite3_pcache_methods2 inner;
static struct lio *the_lio; // one per process, like SQLite's configuration

static struct page_cache *cache_of(sqlite3_pcache *cache) {
    return (struct page_cache *)cache;
}

// Pages of data files are the buffer cache, not private memory.
static const struct page_cache *enter(sqlite3_pcache *cache) {
    const struct page_cache *of = cache_of(cache);
    if (of->data_file)
        pga_enter_buffer_cache();
    return of;
}

static sqlite3_pcache *create(int page_size, int extra, int purgeable) {
    struct page_cache *cache = malloc(sizeof *cache);
    if (!cache)
        return NULL;
    // Not so in-memory databases (the fixed tables), and the files of sorts and
    // temporary tables.
    cache->data_file = purgeable && the_lio->opens_data_file;
    enter((sqlite3_pcache *)cache);
    cache->inner = inner.xCreate(page_size, extra, purgeable);
    pga_leave_buffer_cache();
    if (!cache->inner) {
        free(cache);
        return NULL;
    }
    return (sqlite3_pcache *)cache;
}

static void cache_size(sqlite3_pcache *cache, int pages) {
    inner.xCachesize(enter(cache)->inner, pages);
    pga_leave_buffer_cache();
}

static int page_count(sqlite3_pcache *cache) {
    return inner.xPagecount(cache_of(cache)->inner);
}

void lio_stop(struct lio *lio) {
    if (lio->undoable)
        lio->cancelled = true;
    else
        sqlite3_interrupt(lio->db);
}

// A get and its break check. Named as Oracle's function that gets a block for
// consistent read.
__attribute__((noinline)) static bool kcbgtcr(struct lio *lio) {
    lio->stat[lio->current_mode ? STAT_DB_BLOCK_GETS : STAT_CONSISTENT_GETS]++;
#ifndef ORALAB_WITHOUT_BREAK_CHECK // `make bench` measures without
    if (nioqts(lio->channel))
        lio_stop(lio);
#endif
    return !(lio->undoable && lio->cancelled);
}

static sqlite3_pcache_page *fetch(sqlite3_pcache *cache, unsigned page,
                                  int create_flag) {
    struct page_cache *of = cache_of(cache);
    // Without the flag SQLite only checks whether the page is cached.
    if (of->data_file && create_flag && the_lio->db && !the_lio->retries_lock &&
        !kcbgtcr(the_lio)) {
        // the rollback of the statement gets pages too
        the_lio->undoable = false;
        return NULL;
    }
    sqlite3_pcache_page *result =
        inner.xFetch(enter(cache)->inner, page, create_flag);
    pga_leave_buffer_cache();
    return result;
}

static void unpin(sqlite3_pcache *cache, sqlite3_pcache_page *page,
                  int discard) {
    inner.xUnpin(enter(cache)->inner, page, discard);
    pga_leave_buffer_cache();
}

static void rekey(sqlite3_pcache *cache, sqlite3_pcache_page *page,
                  unsigned old, unsigned new) {
    inner.xRekey(enter(cache)->inner, page, old, new);
    pga_leave_buffer_cache();
}

static void truncate_from(sqlite3_pcache *cache, unsigned limit) {
    inner.xTruncate(enter(cache)->inner, limit);
    pga_leave_buffer_cache();
}

static void destroy(sqlite3_pcache *cache) {
    inner.xDestroy(enter(cache)->inner);
    pga_leave_buffer_cache();
    free(cache);
}

static void shrink(sqlite3_pcache *cache) {
    inner.xShrink(enter(cache)->inner);
    pga_leave_buffer_cache();
}

bool lio_install(struct lio *lio) {
    static sqlite3_pcache_methods2 outer = {
        .iVersion = 1,
        .xCreate = create,
        .xCachesize = cache_size,
        .xPagecount = page_count,
        .xFetch = fetch,
        .xUnpin = unpin,
        .xRekey = rekey,
        .xTruncate = truncate_from,
        .xDestroy = destroy,
        .xShrink = shrink,
    };
    the_lio = lio;
    if (inner.xFetch)
        return true;
    if (sqlite3_config(SQLITE_CONFIG_GETPCACHE2, &inner) != SQLITE_OK)
        return false;
    outer.xInit = inner.xInit;
    outer.xShutdown = inner.xShutdown;
    return sqlite3_config(SQLITE_CONFIG_PCACHE2, &outer) == SQLITE_OK;
}
