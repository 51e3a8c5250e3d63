// SPDX-License-Identifier: GPL-2.0-or-later
// The word of a latch, and the note of each session of the latch that it wants
// or holds.
//
// The word counts shared holders, and names its last change: who made it, in
// which of that session's gets (`version`), and whether it was a release. That
// change is certain as soon as the word has it; the session's own note follows
// a moment later, or is made for it by whoever changes the word next
// (`latch_settle`). A note that still says WANTS, while the word's last change
// is another's, therefore belongs to a get that has not happened.
#ifndef ORALAB_LATCH_WORD_H
#define ORALAB_LATCH_WORD_H

#include "process/sga.h"

#define LATCH_HOLDERS UINT64_C(0x3ff) // the number of shared holders
#define LATCH_HELD_EXCLUSIVELY (UINT64_C(1) << 10)
#define LATCH_WRITER_WAITS (UINT64_C(1) << 11) // no more shared gets
#define LATCH_RELEASED (UINT64_C(1) << 12)     // the last change was one
#define LATCH_SID_SHIFT 13                     // 10 bits; 0: never held
#define LATCH_VERSION_SHIFT 23
#define LATCH_VERSIONS ((UINT64_C(1) << 41) - 1)

enum latch_phase { LATCH_IDLE, LATCH_WANTS, LATCH_HOLDS };

// A session's note: a 64-bit word in sga->latch_note.
#define LATCH_NOTE(version, where, n, mode, phase)                             \
    ((uint64_t)(version) << 23 | (uint64_t)(where) << 12 |                     \
     (uint64_t)(n) << 4 | (uint64_t)(mode) << 2 | (uint64_t)(phase))
#define LATCH_PHASE UINT64_C(3)

static inline enum latch_phase latch_note_phase(uint64_t note) {
    return (enum latch_phase)(note & LATCH_PHASE);
}

static inline enum latch_mode latch_note_mode(uint64_t note) {
    return (enum latch_mode)(note >> 2 & 1);
}

static inline enum latch_number latch_note_latch(uint64_t note) {
    return (enum latch_number)(note >> 4 & 0xff);
}

static inline enum latch_where latch_note_where(uint64_t note) {
    return (enum latch_where)(note >> 12 & 0x7ff);
}

static inline uint64_t latch_note_version(uint64_t note) {
    return note >> 23;
}

static inline uint64_t latch_note_with(uint64_t note, enum latch_phase phase) {
    return (note & ~LATCH_PHASE) | phase;
}

// `word` as the session `sid` leaves it, with its last change.
static inline uint64_t latch_word_by(uint64_t word, unsigned sid,
                                     uint64_t note) {
    return word | (uint64_t)sid << LATCH_SID_SHIFT |
           latch_note_version(note) << LATCH_VERSION_SHIFT;
}

static inline unsigned latch_word_sid(uint64_t word) {
    return (unsigned)(word >> LATCH_SID_SHIFT & 0x3ff);
}

static inline uint64_t latch_load(const uint64_t *from) {
    return __atomic_load_n(from, __ATOMIC_SEQ_CST);
}

static inline bool latch_swap(uint64_t *at, uint64_t from, uint64_t to) {
    return __atomic_compare_exchange_n(at, &from, to, false, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
}

// Notes the word's last change with the session that made it.
static inline void latch_settle(struct sga *sga, uint64_t word) {
    const unsigned sid = latch_word_sid(word);
    const bool released = word & LATCH_RELEASED;
    if (sid == 0 || sid > SGA_SESSIONS)
        return;
    uint64_t *note = &sga->latch_note[sid - 1];
    const uint64_t now = latch_load(note);
    if (latch_note_version(now) == word >> LATCH_VERSION_SHIFT &&
        latch_note_phase(now) == (released ? LATCH_HOLDS : LATCH_WANTS))
        latch_swap(note, now,
                   latch_note_with(now, released ? LATCH_IDLE : LATCH_HOLDS));
}

// The word after the session's release.
static inline uint64_t latch_word_without(uint64_t word, unsigned sid,
                                          uint64_t note) {
    const uint64_t left = latch_note_mode(note) == LATCH_EXCLUSIVE
                              ? 0
                              : (word & LATCH_HOLDERS) - 1;
    return latch_word_by(left | (word & LATCH_WRITER_WAITS) | LATCH_RELEASED,
                         sid, note);
}

// Wakes who can go on now that the latch was released to `word`.
void latch_post(struct latch *latch, uint64_t word);

#endif
