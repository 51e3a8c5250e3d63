// SPDX-License-Identifier: GPL-2.0-or-later
#include "sql/views/slot_columns.h"

#include <sqlite3.h>
#include <string.h>

bool slot_is_present(const struct database *database, int row) {
    return database->sga->session[row].pid != 0;
}

bool slot_is_logged_on(const struct database *database, int row) {
    const struct session_slot *slot = &database->sga->session[row];
    return slot->pid != 0 && slot->logged_on;
}

const struct session_slot *slot_of(const struct fixed_cell *cell) {
    return &cell->database->sga->session[cell->row];
}

void slot_text(const struct fixed_cell *cell) {
    fixed_text(cell, (const char *)slot_of(cell) + cell->column->offset);
}

void slot_u32(const struct fixed_cell *cell) {
    uint32_t value;
    memcpy(&value, (const char *)slot_of(cell) + cell->column->offset,
           sizeof value);
    fixed_integer(cell, value);
}

void slot_process(const struct fixed_cell *cell) {
    fixed_address(cell, PROCESS_ADDRESS);
}

void slot_sid(const struct fixed_cell *cell) {
    fixed_integer(cell, cell->row + 1);
}
