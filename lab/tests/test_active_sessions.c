// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdlib.h>
#include <string.h>

#include "process/active_sessions.h"
#include "process/sga.h"
#include "tests/check.h"

static struct session_slot *session(struct sga *sga, int i, const char *sql) {
    struct session_slot *slot = &sga->session[i];
    slot->pid = 100 + i;
    slot->serial = (uint32_t)i;
    slot->logged_on = slot->active = true;
    snprintf(slot->sql_id, sizeof slot->sql_id, "%s", sql);
    return slot;
}

static int shown(const struct active_sessions *history) {
    int rows = 0;
    for (int i = 0; i < ACTIVE_ROWS; i++)
        rows += active_sessions_has(history, i);
    return rows;
}

static void check_who_is_active(struct sga *sga) {
    struct active_sessions *history = &sga->active_sessions;
    session(sga, 0, "on_cpu");
    session(sga, 1, "idle")->active = false;
    session(sga, 2, "logging_on")->logged_on = false;
    struct wait_clock *asleep = &session(sga, 3, "asleep")->waits;
    asleep->waiting = true;
    asleep->event = WAIT_SLEEP;
    struct session_slot *locked = session(sga, 511, "locked");
    locked->waits.waiting = true;
    locked->waits.event = WAIT_ROW_LOCK;
    locked->waits.parameter[2] = 7;
    locked->blocker = 2;
    active_sessions_sample(sga, 1234);
    CHECK(history->samples == 1 && history->rows == 2 && shown(history) == 2);
    const struct active_row *row = history->row;
    CHECK(row[0].sample == 1 && row[0].at_ms == 1234 && row[0].sid == 1);
    CHECK(!row[0].waiting && strcmp(row[0].sql_id, "on_cpu") == 0);
    CHECK(row[1].sid == 512 && row[1].serial == 511 && row[1].waiting);
    CHECK(row[1].event == WAIT_ROW_LOCK && row[1].parameter[2] == 7);
    CHECK(row[1].blocker == 2 && row[1].blocker_serial == 1);
    // What a session waited for last holds it up no longer.
    locked->waits.waiting = false;
    active_sessions_sample(sga, 1235);
    CHECK(row[3].sample == 2 && row[3].sid == 512 && row[3].blocker == 0);
    // A blocker that is no session, of memory that another process wrote.
    locked->waits.waiting = true;
    locked->blocker = 513;
    active_sessions_sample(sga, 1236);
    CHECK(row[5].blocker == 0 && shown(history) == 6);
}

static void check_the_ring(struct sga *sga) {
    struct active_sessions *history = &sga->active_sessions;
    for (int i = 0; i < SGA_SESSIONS; i++)
        session(sga, i, "all")->waits.waiting = false;
    for (int i = 0; i < ACTIVE_ROWS / SGA_SESSIONS - 1; i++)
        active_sessions_sample(sga, i);
    // Nothing is written over yet.
    CHECK(history->rows == 6 + ACTIVE_ROWS - SGA_SESSIONS);
    CHECK(shown(history) == ACTIVE_ROWS - SGA_SESSIONS);
    CHECK(!active_sessions_has(history, 5) && active_sessions_has(history, 6));
    const uint32_t before = history->samples;
    active_sessions_sample(sga, 0);
    active_sessions_sample(sga, 0);
    // The next sample finds as many rows that nobody reads.
    CHECK(shown(history) == ACTIVE_ROWS - SGA_SESSIONS);
    for (int i = 0; i < ACTIVE_ROWS; i++)
        if (active_sessions_has(history, i))
            CHECK(history->row[i].sample >
                  before + 2 - ACTIVE_ROWS / SGA_SESSIONS);
}

void test_active_sessions(void) {
    struct sga *sga = calloc(1, sizeof *sga);
    CHECK(sga != NULL);
    if (!sga)
        return;
    check_who_is_active(sga);
    check_the_ring(sga);
    free(sga);
}
