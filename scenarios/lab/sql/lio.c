// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/lio.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "process/statistic.h"

struct page_cache {
    sqlite3_pcache *inner;
    bool data_file;
};

static sqlite3_pcache_methods2 inner;
static struct lio *the_lio; // one per process, as SQLite's configuration

static struct page_cache *cache_of(sqlite3_pcache *cache) {
    return (struct page_cache *)cache;
}

static sqlite3_pcache *create(int page_size, int extra, int purgeable) {
    struct page_cache *cache = malloc(sizeof *cache);
    if (!cache)
        return NULL;
    cache->inner = inner.xCreate(page_size, extra, purgeable);
    if (!cache->inner) {
        free(cache);
        return NULL;
    }
    // Only a page that a file holds may be dropped: this tells data files from
    // in-memory databases (the fixed tables, sorts, temporary results).
    cache->data_file = purgeable;
    return (sqlite3_pcache *)cache;
}

static void cache_size(sqlite3_pcache *cache, int pages) {
    inner.xCachesize(cache_of(cache)->inner, pages);
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

// A get, and the break check that goes with it. Oracle's name for the
// function that gets a block for consistent read.
__attribute__((noinline)) static bool kcbgtcr(struct lio *lio) {
    lio->stat[lio->current_mode ? STAT_DB_BLOCK_GETS : STAT_CONSISTENT_GETS]++;
#ifndef ORALAB_WITHOUT_BREAK_CHECK // what `make bench` measures without
    if (nioqts(lio->channel))
        lio_stop(lio);
#endif
    return !(lio->undoable && lio->cancelled);
}

static sqlite3_pcache_page *fetch(sqlite3_pcache *cache, unsigned page,
                                  int create_flag) {
    struct page_cache *of = cache_of(cache);
    // Without the flag SQLite only asks whether it has the page.
    if (of->data_file && create_flag && the_lio->db && !kcbgtcr(the_lio)) {
        the_lio->undoable = false; // what undoes the change gets its pages
        return NULL;
    }
    return inner.xFetch(of->inner, page, create_flag);
}

static void unpin(sqlite3_pcache *cache, sqlite3_pcache_page *page,
                  int discard) {
    inner.xUnpin(cache_of(cache)->inner, page, discard);
}

static void rekey(sqlite3_pcache *cache, sqlite3_pcache_page *page,
                  unsigned old, unsigned new) {
    inner.xRekey(cache_of(cache)->inner, page, old, new);
}

static void truncate_from(sqlite3_pcache *cache, unsigned limit) {
    inner.xTruncate(cache_of(cache)->inner, limit);
}

static void destroy(sqlite3_pcache *cache) {
    inner.xDestroy(cache_of(cache)->inner);
    free(cache);
}

static void shrink(sqlite3_pcache *cache) {
    inner.xShrink(cache_of(cache)->inner);
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
