// SPDX-License-Identifier: GPL-2.0-or-later
// Latches of sessions whose process was killed. The listener releases them as
// soon as it hears of the end, and sleepers look for themselves as well.
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "process/latch_word.h"

// The session never got the latch. As a writer it may have kept readers
// out; other writers do so again.
static void forget_wish(struct latch *latch, uint64_t *own, uint64_t note) {
    if (!latch_swap(own, note, latch_note_with(note, LATCH_IDLE)))
        return;
    uint64_t word = latch_load(&latch->word);
    while ((word & LATCH_WRITER_WAITS) &&
           !latch_swap(&latch->word, word, word & ~LATCH_WRITER_WAITS))
        word = latch_load(&latch->word);
    latch_post(latch, word & ~LATCH_WRITER_WAITS);
}

void latch_recover(struct sga *sga, const struct session_slot *slot) {
    const unsigned sid = sga_sid(sga, slot);
    uint64_t *own_note = &sga->latch_note[sid - 1];
    for (;;) {
        struct latch *latch =
            &sga->latch[latch_note_latch(latch_load(own_note)) % LATCHES];
        const uint64_t word = latch_load(&latch->word);
        latch_settle(sga, word);
        const uint64_t note = latch_load(own_note);
        if (latch_note_phase(note) == LATCH_IDLE)
            return;
        if (latch_note_phase(note) == LATCH_WANTS) {
            // Only if it was not got after the word was read: nobody gets it
            // any more for a process that has ended.
            forget_wish(latch, own_note, note);
            return;
        }
        // Whoever holds the latch next finds this.
        if (latch_note_mode(note) == LATCH_EXCLUSIVE)
            __atomic_store_n(&latch->broken, 1, __ATOMIC_SEQ_CST);
        const uint64_t remaining = latch_word_without(word, sid, note);
        if (!latch_swap(&latch->word, word, remaining))
            continue;
        latch_settle(sga, remaining);
        __atomic_fetch_add(&latch->statistics.recovered, 1, __ATOMIC_RELAXED);
        latch_post(latch, remaining);
        return;
    }
}

// A process that has ended and whose parent does not know it yet counts, too.
static bool has_ended(pid_t pid) {
    const int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (fd < 0)
        return errno == ESRCH;
    struct pollfd polled = {.fd = fd, .events = POLLIN};
    const bool ended = poll(&polled, 1, 0) == 1;
    close(fd);
    return ended;
}

void latch_recover_all(struct sga *sga) {
    for (int i = 0; i < SGA_SESSIONS; i++) {
        const struct session_slot *slot = &sga->session[i];
        const pid_t pid = __atomic_load_n(&slot->pid, __ATOMIC_ACQUIRE);
        const enum latch_phase phase =
            latch_note_phase(latch_load(&sga->latch_note[i]));
        if (phase != LATCH_IDLE && pid > 0 && has_ended(pid) &&
            pid == __atomic_load_n(&slot->pid, __ATOMIC_ACQUIRE))
            latch_recover(sga, slot);
    }
}
