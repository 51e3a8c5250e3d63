// SPDX-License-Identifier: GPL-2.0-or-later
// For fixed tables with one row per session: columns whose values are in the
// session's slot.
#ifndef ORALAB_SLOT_COLUMNS_H
#define ORALAB_SLOT_COLUMNS_H

#include "sql/views/fixed_table.h"

// Rows of a table of columns: the value is a member of struct session_slot,
// text or uint32_t.
#define SLOT_TEXT(name, length, member)                                        \
    {                                                                          \
        name, "VARCHAR2(" #length ")", slot_text,                              \
            offsetof(struct session_slot, member)                              \
    }
#define SLOT_U32(name, member)                                                 \
    { name, "NUMBER", slot_u32, offsetof(struct session_slot, member) }

// The slot that row `cell->row` shows.
const struct session_slot *slot_of(const struct fixed_cell *cell);

void slot_text(const struct fixed_cell *cell);
void slot_u32(const struct fixed_cell *cell);
void slot_sid(const struct fixed_cell *cell);
void slot_process(const struct fixed_cell *cell); // its process's address

// Whether the session of row `row` has logged on.
bool slot_is_logged_on(const struct database *database, int row);

#endif
