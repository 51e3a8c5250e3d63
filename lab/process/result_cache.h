// SPDX-License-Identifier: GPL-2.0-or-later
// The server result cache: rows of queries in shared memory, in blocks of 1 KB
// that the latch `Result Cache: RC Latch` protects.
//
// A hit gets the latch twice: to find and pin the result, and to unpin it; it
// is read in between. A result that is cached takes a get to find that there is
// none, one for each of its blocks, one to publish it and one to unpin it; and
// one for each of its tables that no result has depended on yet.
//
// A result is never older than the last commit. A session that is about to
// commit first lets everybody know which tables it has changed, and makes the
// results that depend on them invalid; while it commits, no result of these
// tables is kept. Nor is one of rows that were read as of before: a clock
// counts the commits that change tables, a table remembers the last of its own,
// and a search since when its rows are those that are read.
#ifndef ORALAB_RESULT_CACHE_H
#define ORALAB_RESULT_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "process/latch.h"
#include "process/sessions.h"

enum {
    RESULT_BLOCK_BYTES = 1024,
    RESULT_MOST_BLOCKS = 32768,
    RESULT_CHUNK = 32, // blocks that memory is taken in
    RESULT_BUCKETS = 4096,
    RESULT_TABLES = 8,   // that a result may depend on
    RESULT_CHANGES = 32, // tables of a transaction; with more, all have changed
    RESULT_KEY_BYTES = 32,
    RESULT_NAME = 128,
    RESULT_DEFAULT_MB = 16,
    RESULT_MOST_MB = RESULT_MOST_BLOCKS / 1024,
    RESULT_SHARE_PERCENT = 5, // of the cache, that one result may take
};

enum result_block_type {
    RESULT_BLOCK_FREE,
    RESULT_BLOCK_DATA,       // a further block of a result
    RESULT_BLOCK_DEPENDENCY, // a table
    RESULT_BLOCK_RESULT,     // the first block
};

enum result_status { RESULT_NEW, RESULT_PUBLISHED, RESULT_INVALID };

// The key of an object: SHA-256 of all that its rows depend on except the
// tables; and its name in views.
struct result_key {
    uint8_t digest[RESULT_KEY_BYTES];
    char name[RESULT_NAME];
};

// In the first block of an object. Blocks are named by their numbers from 1.
struct result_head {
    struct result_key key;
    uint32_t next_in_bucket;
    uint32_t newer, older; // results in the order of their use
    uint64_t used;         // of result_cache.clock: the last find
    uint64_t placed;       // the same, when it took its place in that order
    int64_t created;       // s since 1970
    unsigned creator;      // SID
    uint32_t creator_serial;
    uint32_t blocks, columns, tables;
    uint64_t rows, bytes, finds, invalidations;
    uint64_t build_us;
    bool plsql;                    // a function's result
    uint32_t table[RESULT_TABLES]; // of a result: the blocks of its tables
    uint64_t changed;    // of a table: result_cache.commits with its last one
    uint32_t dependents; // of a table: its valid results
};

struct result_block {
    uint8_t type, status;
    uint32_t next;     // of the same object, or the next free one; 0: none
    uint32_t object;   // whose block it is: the number of its first one
    uint32_t position; // in it, from 0
    union {
        struct result_head head;
        uint8_t data[RESULT_BLOCK_BYTES - 16];
    };
};

// The changes of a session that commits.
struct result_changes {
    bool all; // any table: a definition has changed
    unsigned tables;
    uint8_t table[RESULT_CHANGES][RESULT_KEY_BYTES];
};

struct result_statistics {
    uint64_t created, create_failed, found, invalidated;
    uint64_t deleted_invalid, deleted_valid, copied;
};

struct result_cache {
    uint32_t limit; // blocks; 0: there is no cache
    uint32_t taken; // blocks of the chunks in use
    uint32_t free;  // the first free one
    uint32_t used;  // blocks of objects
    uint32_t newest, oldest;
    uint32_t tables;     // tables that were ever depended on
    uint32_t generation; // of the memory: grows when all of it is given up
    bool bypass;         // DBMS_RESULT_CACHE.BYPASS
    bool annotated;      // a table has had RESULT_CACHE (MODE FORCE)
    uint64_t clock;
    uint64_t commits;     // begun, of transactions that changed tables
    uint64_t definitions; // version of all tables' definitions
    struct result_statistics statistics;
    uint32_t bucket[RESULT_BUCKETS];
    uint32_t pin[SGA_SESSIONS];    // the result that a session reads
    bool committing[SGA_SESSIONS]; // whose changes are seen any moment
    struct result_changes changes[SGA_SESSIONS];
    struct result_block block[RESULT_MOST_BLOCKS + 1];
};

// One execution of a query, from its search on.
struct result_search {
    const struct result_key *key;
    const struct result_key *table;
    unsigned tables;
    enum latch_mode mode; // of the gets that only read
    uint32_t generation;
    // result_changes_now() before the snapshot began that the rows are read in
    uint64_t since;
    bool plsql;                 // it is a function's
    uint32_t found;             // the pinned result; 0: none
    uint32_t at[RESULT_TABLES]; // the tables' blocks, if it may be kept
    bool keep;                  // if not found: its rows may be kept
};

struct result_size {
    uint64_t bytes, rows;
    unsigned columns;
};

// Looks for the result. True if it is there: it is pinned then.
bool result_cache_find(struct sga *sga, struct session_slot *self,
                       struct result_search *search);
// The tables of a search that found nothing, if they were not known then but
// are now.
void result_cache_find_tables(struct sga *sga, struct session_slot *self,
                              struct result_search *search);
// The tables of the pinned result.
unsigned result_cache_tables(const struct sga *sga,
                             const struct result_search *search,
                             struct result_key to[RESULT_TABLES]);
// How large the pinned result is; copies its bytes.
struct result_size result_cache_size(const struct sga *sga,
                                     const struct result_search *search);
void result_cache_copy(struct sga *sga, const struct result_search *search,
                       void *to);
// Unpins it. False if it was discarded before: then the copy is no result.
bool result_cache_unpin(struct sga *sga, struct session_slot *self,
                        const struct result_search *search);
// How many bytes the rows of one result may have; that one had more.
uint64_t result_cache_most(const struct sga *sga);
void result_cache_refused(struct sga *sga);
// Keeps the rows of a query whose search found nothing, if they are still those
// of now and there is room.
void result_cache_keep(struct sga *sga, struct session_slot *self,
                       const struct result_search *search,
                       const struct result_size *size, const void *bytes,
                       uint64_t build_us);

// The clock for a session that is about to read tables; 0: a session is about
// to commit, so rows that are read now may be of the time before, and none are
// kept.
uint64_t result_changes_now(const struct sga *sga);
// A session has changed rows of a table; any definition.
void result_changes_add(struct sga *sga, const struct session_slot *self,
                        const struct result_key *table);
void result_changes_add_all(struct sga *sga, const struct session_slot *self);
bool result_changes_include(const struct sga *sga,
                            const struct session_slot *self,
                            const struct result_key *table);
// Before they are committed; afterwards, or after a rollback. They are kept
// where the commit was refused and the transaction is not `over`.
void result_changes_commit(struct sga *sga, struct session_slot *self);
void result_changes_end(struct sga *sga, const struct session_slot *self,
                        bool over);

// DBMS_RESULT_CACHE. The numbers of results that became invalid.
void result_cache_flush(struct sga *sga, struct session_slot *self);
unsigned result_cache_invalidate(struct sga *sga, struct session_slot *self,
                                 const struct result_key *table);

#endif
