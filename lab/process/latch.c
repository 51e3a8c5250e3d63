// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "process/latch.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "process/latch_word.h"

enum {
    SPINS_EXCLUSIVE = 20000,
    SPINS_SHARED = 2000,
    // A sleeper looks for dead holders when nobody has posted it for so long.
    SLEEP_MS = 100,
};

enum { READERS = 1, WRITERS = 2 }; // sets of sleepers

// The number and hash that the name had in Oracle 11.1.
const struct latch_name latch_names[LATCHES] = {
    [LATCH_RESULT_CACHE] = {"Result Cache: RC Latch", 373, 1, 1545889529},
};

const char *const latch_wheres[LATCH_WHERES] = {
    [WHERE_FIND] = "Result Cache: find",
    [WHERE_DEPENDENCY] = "Result Cache: new dependency",
    [WHERE_ALLOCATE] = "Result Cache: allocate block",
    [WHERE_PUBLISH] = "Result Cache: publish",
    [WHERE_UNPIN] = "Result Cache: unpin",
    [WHERE_INVALIDATE] = "Result Cache: invalidate",
    [WHERE_REPORT] = "Result Cache: report",
    [WHERE_ADMINISTER] = "Result Cache: administer",
};

static void count(uint64_t *at, uint64_t by) {
    __atomic_fetch_add(at, by, __ATOMIC_RELAXED);
}

int64_t latch_address(enum latch_number n) {
    return INT64_C(0x60000000) +
           (int64_t)(offsetof(struct sga, latch) + n * sizeof(struct latch));
}

// Whether the latch is free for that mode in this state.
static bool allows(uint64_t word, enum latch_mode mode) {
    const uint64_t closed = mode == LATCH_EXCLUSIVE
                                ? LATCH_HELD_EXCLUSIVELY | LATCH_HOLDERS
                                : LATCH_HELD_EXCLUSIVELY | LATCH_WRITER_WAITS;
    return !(word & closed);
}

// One attempt. An exclusive one leaves no waiting writer noted: the others note
// themselves again.
static bool attempt(struct sga *sga, unsigned sid, struct latch *latch,
                    uint64_t note) {
    uint64_t word = latch_load(&latch->word);
    while (allows(word, latch_note_mode(note))) {
        latch_settle(sga, word);
        const uint64_t new_holders = latch_note_mode(note) == LATCH_EXCLUSIVE
                                         ? LATCH_HELD_EXCLUSIVELY
                                         : (word & LATCH_HOLDERS) + 1;
        if (latch_swap(&latch->word, word,
                       latch_word_by(new_holders, sid, note)))
            return true;
        word = latch_load(&latch->word);
    }
    return false;
}

static void rest(void) {
#ifdef __x86_64__
    __builtin_ia32_pause();
#endif
}

// Oracle's name for the spinning in a get.
__attribute__((noinline)) static bool
kslges(struct sga *sga, unsigned sid, struct latch *latch, uint64_t note) {
    const enum latch_mode mode = latch_note_mode(note);
    const int spins = mode == LATCH_EXCLUSIVE ? SPINS_EXCLUSIVE : SPINS_SHARED;
    for (int i = 0; i < spins; i++) {
        if (allows(__atomic_load_n(&latch->word, __ATOMIC_RELAXED), mode) &&
            attempt(sga, sid, latch, note))
            return true;
        rest();
    }
    return false;
}

// Its name for the sleep. False if the latch was posted before it began.
__attribute__((noinline)) static bool
skgpwwait(struct latch *latch, uint32_t posts, enum latch_mode mode) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += SLEEP_MS * 1000000L;
    if (until.tv_nsec >= 1000000000L) {
        until.tv_nsec -= 1000000000L;
        until.tv_sec++;
    }
    return syscall(SYS_futex, &latch->posts, FUTEX_WAIT_BITSET, posts, &until,
                   NULL, mode == LATCH_EXCLUSIVE ? WRITERS : READERS) == 0 ||
           errno != EAGAIN;
}

// Keeps further readers out, who could otherwise follow on each other for ever.
static void note_writer(struct latch *latch) {
    uint64_t word = latch_load(&latch->word);
    while (!(word & LATCH_WRITER_WAITS) && !allows(word, LATCH_EXCLUSIVE) &&
           !latch_swap(&latch->word, word, word | LATCH_WRITER_WAITS))
        word = latch_load(&latch->word);
}

// Where the latch was got by who holds it exclusively; LATCH_WHERES: nobody.
static enum latch_where held_at(const struct sga *sga,
                                const struct latch *latch) {
    const uint64_t word = latch_load(&latch->word);
    const unsigned sid = latch_word_sid(word);
    return (word & LATCH_HELD_EXCLUSIVELY) && sid >= 1 && sid <= SGA_SESSIONS
               ? latch_note_where(latch_load(&sga->latch_note[sid - 1]))
               : LATCH_WHERES;
}

static void count_sleep(struct latch *latch, uint64_t note,
                        enum latch_where holder) {
    struct latch_statistics *statistics = &latch->statistics;
    count(&statistics->sleeps, 1);
    count(&statistics->sleeps_for[latch_note_where(note)], 1);
    if (holder < LATCH_WHERES)
        count(&statistics->sleeps_at[holder], 1);
}

// Spins and sleeps until the latch is had. Returns how often it slept.
__attribute__((noinline)) static unsigned ksliwat(struct sga *sga,
                                                  struct session_slot *self,
                                                  struct latch *latch,
                                                  uint64_t note) {
    const unsigned sid = sga_sid(sga, self);
    const enum latch_number n = latch_note_latch(note);
    unsigned sleeps = 0;
    int64_t began_us = 0;
    while (!kslges(sga, sid, latch, note)) {
        if (began_us == 0) {
            began_us = clock_us();
            wait_for_latch_begins(&self->waits, latch_address(n),
                                  latch_names[n].number);
        }
        const uint32_t posts = __atomic_load_n(&latch->posts, __ATOMIC_SEQ_CST);
        __atomic_store_n(&latch->slept_on, 1, __ATOMIC_SEQ_CST);
        if (latch_note_mode(note) == LATCH_EXCLUSIVE)
            note_writer(latch);
        // Whoever releases it from here on knows of the sleeper.
        if (!allows(latch_load(&latch->word), latch_note_mode(note))) {
            const enum latch_where holder = held_at(sga, latch);
            self->waits.parameter[2] = sleeps + 1;
            if (skgpwwait(latch, posts, latch_note_mode(note))) {
                sleeps++;
                count_sleep(latch, note, holder);
            }
            if (posts == __atomic_load_n(&latch->posts, __ATOMIC_SEQ_CST))
                latch_recover_all(sga);
            // Others may sleep on: whoever was woken wakes the next one.
            __atomic_store_n(&latch->slept_on, 1, __ATOMIC_SEQ_CST);
        }
    }
    if (began_us) {
        count(&latch->statistics.wait_us, (uint64_t)(clock_us() - began_us));
        wait_ends(&self->waits, 1);
    }
    return sleeps;
}

static void get(struct sga *sga, struct session_slot *self, enum latch_number n,
                enum latch_mode mode, enum latch_where where) {
    const unsigned sid = sga_sid(sga, self);
    struct latch *latch = &sga->latch[n];
    struct latch_statistics *statistics = &latch->statistics;
    uint64_t *own_note = &sga->latch_note[sid - 1];
    const uint64_t version =
        (latch_note_version(latch_load(own_note)) + 1) & LATCH_VERSIONS;
    const uint64_t note = LATCH_NOTE(version, where, n, mode, LATCH_WANTS);
    __atomic_store_n(own_note, note, __ATOMIC_SEQ_CST);
    const bool missed = !attempt(sga, sid, latch, note);
    const unsigned sleeps = missed ? ksliwat(sga, self, latch, note) : 0;
    __atomic_store_n(own_note, latch_note_with(note, LATCH_HOLDS),
                     __ATOMIC_SEQ_CST);
    count(&statistics->gets, 1);
    if (!missed)
        return;
    count(&statistics->misses, 1);
    count(&statistics->no_wait_failures[where], 1);
    if (sleeps == 0)
        count(&statistics->spin_gets, 1);
    else
        count(&statistics->slept[sleeps < SLEEP_COLUMNS ? sleeps - 1
                                                        : SLEEP_COLUMNS - 1],
              1);
}

__attribute__((noinline)) void kslgetl(struct sga *sga,
                                       struct session_slot *self,
                                       enum latch_number n,
                                       enum latch_where where) {
    get(sga, self, n, LATCH_EXCLUSIVE, where);
}

__attribute__((noinline)) void kslgetsl_w(struct sga *sga,
                                          struct session_slot *self,
                                          enum latch_number n,
                                          enum latch_where where) {
    get(sga, self, n, LATCH_SHARED, where);
}

void latch_post(struct latch *latch, uint64_t word) {
    const bool for_writers = allows(word, LATCH_EXCLUSIVE);
    const bool for_readers = allows(word, LATCH_SHARED);
    long woken_sleepers = 0;
    if ((!for_writers && !for_readers) ||
        !__atomic_load_n(&latch->slept_on, __ATOMIC_SEQ_CST))
        return;
    if (for_writers) // else some of them sleep on
        __atomic_store_n(&latch->slept_on, 0, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&latch->posts, 1, __ATOMIC_SEQ_CST);
    if (for_writers)
        woken_sleepers = syscall(SYS_futex, &latch->posts, FUTEX_WAKE_BITSET, 1,
                                 NULL, NULL, WRITERS);
    if (for_readers)
        woken_sleepers += syscall(SYS_futex, &latch->posts, FUTEX_WAKE_BITSET,
                                  INT_MAX, NULL, NULL, READERS);
    if (woken_sleepers > 0)
        count(&latch->statistics.woken, 1);
}

__attribute__((noinline)) void kslfre(struct sga *sga,
                                      struct session_slot *self) {
    const unsigned sid = sga_sid(sga, self);
    uint64_t *own_note = &sga->latch_note[sid - 1];
    const uint64_t note = latch_load(own_note);
    struct latch *latch = &sga->latch[latch_note_latch(note)];
    uint64_t word, left;
    do {
        word = latch_load(&latch->word);
        latch_settle(sga, word);
        left = latch_word_without(word, sid, note);
    } while (!latch_swap(&latch->word, word, left));
    __atomic_store_n(own_note, latch_note_with(note, LATCH_IDLE),
                     __ATOMIC_SEQ_CST);
    latch_post(latch, left);
}

bool latch_held_by(const struct sga *sga, unsigned sid, enum latch_number *n,
                   enum latch_mode *mode) {
    const uint64_t note = latch_load(&sga->latch_note[sid - 1]);
    *n = latch_note_latch(note);
    *mode = latch_note_mode(note);
    if (*n >= LATCHES)
        return false;
    const uint64_t word = latch_load(&sga->latch[*n].word);
    if (latch_word_sid(word) == sid &&
        latch_note_version(note) == word >> LATCH_VERSION_SHIFT)
        return !(word & LATCH_RELEASED); // which the note does not show yet
    return latch_note_phase(note) == LATCH_HOLDS;
}
