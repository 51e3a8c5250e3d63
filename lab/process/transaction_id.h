// SPDX-License-Identifier: GPL-2.0-or-later
// A transaction's number, SEGMENT.SLOT.SEQUENCE: the first two are those of its
// session, which has no more than one at a time; the third, in the session's
// slot, counts all that there were.
#ifndef ORALAB_TRANSACTION_ID_H
#define ORALAB_TRANSACTION_ID_H

enum { UNDO_SEGMENTS = 10 }; // as many as a new database of Oracle's has

// `session` is SID - 1.
static inline unsigned transaction_segment(unsigned session) {
    return session % UNDO_SEGMENTS + 1;
}

static inline unsigned transaction_slot(unsigned session) {
    return session / UNDO_SEGMENTS;
}

#endif
