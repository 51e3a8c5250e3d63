// SPDX-License-Identifier: GPL-2.0-or-later
// The facts about one session at a place of a file. A file of a shared
// server, or one that trcsess merged, has several that take turns.
#pragma once

#include "containment.h"
#include "identity.h"
#include "statement.h"

struct session {
    struct identity *identity;
    struct cursors cursors;
    struct containment containment;
    int64_t first, last;   // us of its clock: the first start, the last end
    int64_t records;       // that have a time
    int64_t experience;    // the line where the experience began
    bool experience_ended; // by think time: the next record begins another
    int64_t wall;          // us since 1970 of the last timestamp
    int64_t offset;        // us from its clock to that
    bool wall_pending, has_offset;
    int64_t clock_steps; // times that its clock went back
    // Waits without a time (before 10.2): whether there are any, and how long
    // those lasted that came after a record of the time `untimed_since`.
    bool has_untimed_waits;
    int64_t untimed_since, untimed_us;
};

// Sums over sessions.
struct session_totals {
    int64_t elapsed; // us from a session's first start to its last end
    int64_t clock_steps;
    uint64_t cursors_forgotten;
    struct orphans orphans;
};

struct sessions {
    struct session **all; // most recently used last
    size_t count, room;
    struct session *now;
    struct session_totals ended; // of those that are not kept any longer
};

// The records from here on are of this session. False: no memory.
bool sessions_switch(struct sessions *sessions, int64_t pid, int64_t sid,
                     int64_t serial);

// They are of this process, and of the session that it had last.
bool sessions_switch_process(struct sessions *sessions, int64_t pid);

// Set a text of the present identity. False where there is no memory.
bool session_set_text(struct session *session, enum identity_text which,
                      const char *text, size_t len);

// End every session; `ended` then has the sums of all.
void sessions_end(struct sessions *sessions);

void sessions_free(struct sessions *sessions);
