// SPDX-License-Identifier: GPL-2.0-or-later
// v$session_wait.
#include "sql/session_waits.h"

#include <sqlite3.h>

// The wait, or the last one.
static const struct wait_event_name *event_of(const struct session_slot *slot) {
    return &wait_event_names[slot->waits.event % WAIT_EVENTS];
}

VALUE(wait_event_number) {
    SLOT;
    fixed_integer(context, slot->waits.event);
}

VALUE(wait_event_text) {
    SLOT;
    fixed_text(context, event_of(slot)->name);
}

VALUE(wait_sequence) {
    SLOT;
    fixed_integer(context, slot->waits.sequence % 65536);
}

// `offset` is which of the three.
VALUE(wait_parameter_text) {
    SLOT;
    fixed_text(context, event_of(slot)->parameter[column->offset]);
}

VALUE(wait_parameter) {
    SLOT;
    fixed_integer(context, slot->waits.parameter[column->offset]);
}

VALUE(wait_parameter_raw) {
    SLOT;
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] =
            (uint8_t)(slot->waits.parameter[column->offset] >> (56 - 8 * i));
    sqlite3_result_blob(context, bytes, sizeof bytes, SQLITE_TRANSIENT);
}

VALUE(wait_class_id) {
    SLOT;
    fixed_integer(context, event_of(slot)->class->id);
}

VALUE(wait_class_number) {
    SLOT;
    fixed_integer(context, event_of(slot)->class->number);
}

VALUE(wait_class_name) {
    SLOT;
    fixed_text(context, event_of(slot)->class->name);
}

// 0 while it waits, else how long the last wait was: in hundredths of a
// second, -1 for less than one.
VALUE(wait_time) {
    SLOT;
    const uint64_t last = slot->waits.last_us / 10000;
    fixed_integer(context, slot->waits.waiting ? 0 : last ? (int64_t)last : -1);
}

VALUE(wait_time_micro) {
    SLOT;
    fixed_integer(context, slot->waits.waiting
                               ? clock_us() - slot->waits.began_us
                               : (int64_t)slot->waits.last_us);
}

VALUE(wait_seconds) {
    SLOT;
    fixed_integer(context, (clock_us() - slot->waits.began_us) / 1000000);
}

VALUE(wait_since_last) {
    SLOT;
    fixed_integer(context,
                  slot->waits.waiting ? 0 : clock_us() - slot->waits.ended_us);
}

VALUE(wait_state) {
    SLOT;
    fixed_text(context, slot->waits.waiting            ? "WAITING"
                        : slot->waits.last_us >= 10000 ? "WAITED KNOWN TIME"
                                                       : "WAITED SHORT TIME");
}

static const struct fixed_column wait_columns[] = {
    NUMBER("SID", slot_sid),
    NUMBER("SEQ#", wait_sequence),
    {"EVENT", "VARCHAR2(64)", wait_event_text, 0},
    PARAMETERS(1),
    PARAMETERS(2),
    PARAMETERS(3),
    WAIT_CLASS_COLUMNS,
    NUMBER("CON_ID", fixed_zero),
    {0},
};

const struct fixed_table session_wait_views[] = {
    {"V$SESSION_WAIT", wait_columns, SGA_SESSIONS, session_logged_on},
    {0},
};
