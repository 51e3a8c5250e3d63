// SPDX-License-Identifier: GPL-2.0-or-later
// v$session_wait.
#include "sql/views/session_waits.h"

#include <sqlite3.h>

// The current wait's event, or the last one's.
static const struct wait_event_name *event_of(const struct fixed_cell *cell) {
    return &wait_event_names[slot_of(cell)->waits.event % WAIT_EVENTS];
}

void session_wait_event_number(const struct fixed_cell *cell) {
    const struct session_slot *slot = slot_of(cell);
    fixed_integer(cell, slot->waits.event);
}

void session_wait_event_name(const struct fixed_cell *cell) {
    fixed_text(cell, event_of(cell)->name);
}

void session_wait_sequence(const struct fixed_cell *cell) {
    const struct session_slot *slot = slot_of(cell);
    fixed_integer(cell, slot->waits.sequence % 65536);
}

// `offset` is the parameter's index, 0 to 2.
void session_wait_parameter_text(const struct fixed_cell *cell) {
    fixed_text(cell, event_of(cell)->parameter[cell->column->offset]);
}

void session_wait_parameter(const struct fixed_cell *cell) {
    const struct session_slot *slot = slot_of(cell);
    fixed_integer(cell, slot->waits.parameter[cell->column->offset]);
}

void session_wait_parameter_raw(const struct fixed_cell *cell) {
    const struct session_slot *slot = slot_of(cell);
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(slot->waits.parameter[cell->column->offset] >>
                             (56 - 8 * i));
    sqlite3_result_blob(cell->context, bytes, sizeof bytes, SQLITE_TRANSIENT);
}

void session_wait_class_id(const struct fixed_cell *cell) {
    fixed_integer(cell, event_of(cell)->class->id);
}

void session_wait_class_number(const struct fixed_cell *cell) {
    fixed_integer(cell, event_of(cell)->class->number);
}

void session_wait_class_name(const struct fixed_cell *cell) {
    fixed_text(cell, event_of(cell)->class->name);
}

// 0 during a wait; else the duration of the last wait in hundredths of a
// second, -1 for less than one.
void session_wait_hundredths(const struct fixed_cell *cell) {
    const struct session_slot *slot = slot_of(cell);
    const uint64_t last = slot->waits.last_us / 10000;
    fixed_integer(cell, slot->waits.waiting ? 0 : last ? (int64_t)last : -1);
}

void session_wait_micro(const struct fixed_cell *cell) {
    const struct session_slot *slot = slot_of(cell);
    fixed_integer(cell, slot->waits.waiting ? clock_us() - slot->waits.began_us
                                            : (int64_t)slot->waits.last_us);
}

void session_wait_seconds(const struct fixed_cell *cell) {
    const struct session_slot *slot = slot_of(cell);
    fixed_integer(cell, (clock_us() - slot->waits.began_us) / 1000000);
}

void session_wait_since_last(const struct fixed_cell *cell) {
    const struct session_slot *slot = slot_of(cell);
    fixed_integer(cell,
                  slot->waits.waiting ? 0 : clock_us() - slot->waits.ended_us);
}

void session_wait_state(const struct fixed_cell *cell) {
    const struct session_slot *slot = slot_of(cell);
    fixed_text(cell, slot->waits.waiting            ? "WAITING"
                     : slot->waits.last_us >= 10000 ? "WAITED KNOWN TIME"
                                                    : "WAITED SHORT TIME");
}

static const struct fixed_column wait_columns[] = {
    {"SID", "NUMBER", slot_sid},
    {"SEQ#", "NUMBER", session_wait_sequence},
    {"EVENT", "VARCHAR2(64)", session_wait_event_name},
    WAIT_PARAMETER_COLUMNS(1),
    WAIT_PARAMETER_COLUMNS(2),
    WAIT_PARAMETER_COLUMNS(3),
    WAIT_COLUMNS,
    {"CON_ID", "NUMBER", fixed_zero},
    {0},
};

const struct fixed_table session_wait_views[] = {
    {"V$SESSION_WAIT", wait_columns, SGA_SESSIONS, slot_is_logged_on},
    {0},
};
