// SPDX-License-Identifier: GPL-2.0-or-later
// Once a second the listener notes the activity of each session in a ring of
// the shared memory. v$active_session_history shows the ring.
#ifndef ORALAB_ACTIVE_SESSIONS_H
#define ORALAB_ACTIVE_SESSIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "process/sessions.h"
#include "process/wait.h"

enum {
    ACTIVE_ROWS = 8192,
    ACTIVE_SECONDS = 1, // between two samples
    ACTIVE_NAME = 64,
};

// A session in one sample. It was on a processor, or ready to be, unless it
// was waiting.
struct active_row {
    uint32_t sample; // from 1; 0: no row yet
    int64_t at_ms;   // since 1970
    uint32_t sid;
    uint32_t serial;
    char sql_id[14];
    int command;
    char program[ACTIVE_NAME];
    char module[ACTIVE_NAME];
    char action[ACTIVE_NAME];
    char machine[ACTIVE_NAME];
    char client_identifier[ACTIVE_NAME];
    bool waiting;
    enum wait_event event; // the wait, or the last one
    uint32_t sequence;     // of waits begun
    int64_t parameter[3];
    uint32_t blocker; // SID of the session waited for, 0: none
    uint32_t blocker_serial;
};

struct active_sessions {
    uint32_t samples; // how many there were
    uint32_t rows;    // how many were written
    struct active_row row[ACTIVE_ROWS];
};

struct sga;

// Takes a sample: a row for each session that is in a call and does not wait
// for its client or sleep. `now_ms` is since 1970.
void active_sessions_sample(struct sga *sga, int64_t now_ms);
// Whether row `i` of the ring may be read: those that the next sample may write
// over may not.
bool active_sessions_has(const struct active_sessions *history, int i);

#endif
