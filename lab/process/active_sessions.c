// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/active_sessions.h"

#include <string.h>

#include "process/sga.h"

static bool is_active(const struct session_slot *slot) {
    return slot->pid != 0 && slot->logged_on && slot->active &&
           !(slot->waits.waiting && wait_is_idle(slot->waits.event));
}

static void copy_wait(struct active_row *row, const struct session_slot *slot) {
    row->waiting = __atomic_load_n(&slot->waits.waiting, __ATOMIC_ACQUIRE);
    row->event = slot->waits.event % WAIT_EVENTS;
    row->sequence = slot->waits.sequence;
    memcpy(row->parameter, slot->waits.parameter, sizeof row->parameter);
    row->blocker = slot->blocker;
}

// The session goes on running: a wait that began or ended in between is read
// again, but not for ever.
static bool copy_row(struct active_row *row, const struct session_slot *slot) {
    for (int i = 0; i < 100; i++) {
        copy_wait(row, slot);
        const bool still = __atomic_load_n(&slot->waits.waiting,
                                           __ATOMIC_ACQUIRE) == row->waiting &&
                           __atomic_load_n(&slot->waits.sequence,
                                           __ATOMIC_ACQUIRE) == row->sequence;
        if (still)
            break;
    }
    if (row->waiting && wait_is_idle(row->event))
        return false;
    row->serial = slot->serial;
    row->command = slot->command;
    memcpy(row->sql_id, slot->sql_id, sizeof row->sql_id - 1);
    memcpy(row->program, slot->program, ACTIVE_NAME - 1);
    memcpy(row->module, slot->module, ACTIVE_NAME - 1);
    memcpy(row->action, slot->action, ACTIVE_NAME - 1);
    memcpy(row->machine, slot->machine, ACTIVE_NAME - 1);
    memcpy(row->client_identifier, slot->client_identifier, ACTIVE_NAME - 1);
    return true;
}

void active_sessions_sample(struct sga *sga, int64_t now_ms) {
    struct active_sessions *history = &sga->active_sessions;
    const uint32_t sample = history->samples + 1;
    for (unsigned i = 0; i < SGA_SESSIONS; i++) {
        const struct session_slot *slot = &sga->session[i];
        struct active_row row = {.at_ms = now_ms, .sid = i + 1};
        if (!is_active(slot) || !copy_row(&row, slot))
            continue;
        if (!row.waiting || row.blocker > SGA_SESSIONS)
            row.blocker = 0;
        if (row.blocker)
            row.blocker_serial = sga->session[row.blocker - 1].serial;
        struct active_row *to = &history->row[history->rows % ACTIVE_ROWS];
        __atomic_store_n(&to->sample, 0, __ATOMIC_RELEASE);
        *to = row;
        __atomic_store_n(&to->sample, sample, __ATOMIC_RELEASE);
        __atomic_store_n(&history->rows, history->rows + 1, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&history->samples, sample, __ATOMIC_RELEASE);
}

bool active_sessions_has(const struct active_sessions *history, int i) {
    const uint32_t next =
        __atomic_load_n(&history->rows, __ATOMIC_ACQUIRE) % ACTIVE_ROWS;
    // How many more rows are written before this one is written over.
    const uint32_t remaining = ((uint32_t)i + ACTIVE_ROWS - next) % ACTIVE_ROWS;
    return remaining >= SGA_SESSIONS &&
           __atomic_load_n(&history->row[i].sample, __ATOMIC_ACQUIRE) != 0;
}
