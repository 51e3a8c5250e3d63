// SPDX-License-Identifier: GPL-2.0-or-later
// The times of a record, in microseconds.
#pragma once

#include "scan_state.h"

// The record, whose times are checked, is of the time of this session.
static inline void session_extend(struct session *session,
                                  const struct record *record) {
    const int64_t end = record->field[FIELD_TIM];
    const int64_t begin =
        end - record->field[record->kind == WAIT_CALL ? FIELD_ELA : FIELD_E];
    if (!session->records++) {
        session->first = begin;
        session->last = end;
        return;
    }
    if (end < session->last - CLOCK_STEP)
        session->clock_steps++;
    if (begin < session->first)
        session->first = begin;
    if (end > session->last)
        session->last = end;
}

// Records that scan_clock leaves to this: a number out of range, no time, the
// first one after a timestamp, an error, units other than microseconds.
void scan_unusual_clock(struct scan *scan, struct record *record);

// Bring the times of `record` to microseconds, and tell the session the time.
static inline void scan_clock(struct scan *scan, struct record *record) {
    struct session *session = scan->sessions.now;
    const int64_t *field = record->field;
    if (!(record->has >> FIELD_TIM & 1) || session->wall_pending ||
        scan->summary.clock > 1000 || record->kind >= ERROR_CALL ||
        (uint64_t)(field[FIELD_TIM] | field[FIELD_ELA] | field[FIELD_C] |
                   field[FIELD_E]) >= (uint64_t)LARGEST) {
        scan_unusual_clock(scan, record);
        return;
    }
    scan->raw_tim = field[FIELD_TIM];
    session_extend(session, record);
}
