// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/slot_columns.h"

#include <sqlite3.h>
#include <string.h>

bool session_present(const struct database *database, int row) {
    return database->sga->session[row].pid != 0;
}

bool session_logged_on(const struct database *database, int row) {
    const struct session_slot *slot = &database->sga->session[row];
    return slot->pid != 0 && slot->logged_on;
}

VALUE(slot_text) {
    const struct session_slot *slot = &database->sga->session[row];
    fixed_text(context, (const char *)slot + column->offset);
}

VALUE(slot_u32) {
    uint32_t value;
    const struct session_slot *slot = &database->sga->session[row];
    memcpy(&value, (const char *)slot + column->offset, sizeof value);
    fixed_integer(context, value);
}

VALUE(slot_process) {
    UNUSED;
    fixed_address(context, PROCESS_ADDRESS, row);
}

VALUE(slot_sid) {
    UNUSED;
    fixed_integer(context, row + 1);
}
