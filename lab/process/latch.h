// SPDX-License-Identifier: GPL-2.0-or-later
// Latches: short locks on the shared data in the SGA.
//
// A latch is one word of shared memory. It is held by one session exclusively
// or by several together, and changes by compare-and-swap alone. The word also
// says which session made the last change: before the next one is made, that
// one is noted with its session (latch_word.h). So of a session that is killed
// between any two instructions it is known whether it held the latch, and its
// latches are released for it.
//
// A session holds one latch at a time. Its functions have Oracle's names.
#ifndef ORALAB_LATCH_H
#define ORALAB_LATCH_H

#include <stdbool.h>
#include <stdint.h>

struct sga;
struct session_slot;

enum latch_number { LATCH_RESULT_CACHE, LATCHES };

enum latch_mode { LATCH_EXCLUSIVE, LATCH_SHARED };

// Where in the server a latch is wanted: v$latch_misses.
enum latch_where {
    WHERE_FIND,
    WHERE_DEPENDENCY,
    WHERE_ALLOCATE,
    WHERE_PUBLISH,
    WHERE_UNPIN,
    WHERE_INVALIDATE,
    WHERE_REPORT,
    WHERE_ADMINISTER,
    LATCH_WHERES
};

struct latch_name {
    const char *name;
    int number, level; // v$latchname.LATCH#; v$latch.LEVEL#
    uint32_t hash;
};

extern const struct latch_name latch_names[LATCHES];
extern const char *const latch_wheres[LATCH_WHERES];

enum { SLEEP_COLUMNS = 4 }; // v$latch.SLEEP1 to SLEEP4

// Counted when a get has succeeded, so that
//     misses = spin_gets + sum of slept.
struct latch_statistics {
    uint64_t gets;
    uint64_t misses;               // gets whose first attempt failed
    uint64_t spin_gets;            // misses that spinning alone resolved
    uint64_t slept[SLEEP_COLUMNS]; // misses that slept 1, 2, 3, or more times
    uint64_t sleeps;
    uint64_t wait_us;
    uint64_t woken;     // releases that woke a sleeper
    uint64_t recovered; // holds of dead sessions that were released
    uint64_t no_wait_failures[LATCH_WHERES]; // misses, by who wanted it
    uint64_t sleeps_at[LATCH_WHERES];        // sleeps, by who held it
    uint64_t sleeps_for[LATCH_WHERES];       // sleeps, by who wanted it
};

struct latch {
    uint64_t word;     // see latch_word.h
    uint32_t posts;    // releases that woke somebody: the futex of sleepers
    uint32_t slept_on; // somebody may sleep: a release has to wake them
    uint32_t broken;   // a session died while it held the latch exclusively
    struct latch_statistics statistics;
} __attribute__((aligned(64)));

// Gets the latch, exclusively or shared, sooner or later.
void kslgetl(struct sga *sga, struct session_slot *self, enum latch_number n,
             enum latch_where where);
void kslgetsl_w(struct sga *sga, struct session_slot *self, enum latch_number n,
                enum latch_where where);
void kslfre(struct sga *sga, struct session_slot *self);

// Releases the latches of the session of `slot`, which is over.
void latch_recover(struct sga *sga, const struct session_slot *slot);
// The same of every session whose process has ended.
void latch_recover_all(struct sga *sga);

// The row of v$latchholder for a session. False if it holds no latch.
bool latch_held_by(const struct sga *sga, unsigned sid, enum latch_number *n,
                   enum latch_mode *mode);
// An identifier of a latch, the same in all processes.
int64_t latch_address(enum latch_number n);

#endif
