// SPDX-License-Identifier: GPL-2.0-or-later
// For fixed tables with a row for each session: columns whose values are in the
// session's slot.
#ifndef ORALAB_SLOT_COLUMNS_H
#define ORALAB_SLOT_COLUMNS_H

#include "sql/fixed_table.h"

#define VALUE(name)                                                            \
    void name(struct sqlite3_context *context,                                 \
              const struct database *database, int row,                        \
              const struct fixed_column *column)
#define UNUSED (void)database, (void)row, (void)column
#define SLOT                                                                   \
    (void)column;                                                              \
    const struct session_slot *slot = &database->sga->session[row]

#define TEXT(name, length, member)                                             \
    {                                                                          \
        name, "VARCHAR2(" #length ")", slot_text,                              \
            offsetof(struct session_slot, member)                              \
    }
#define U32(name, member)                                                      \
    { name, "NUMBER", slot_u32, offsetof(struct session_slot, member) }
#define NUMBER(name, value)                                                    \
    { name, "NUMBER", value, 0 }

// Where a column's value is a member of the slot.
VALUE(slot_text);
VALUE(slot_u32);
VALUE(slot_sid);
VALUE(slot_process); // the address of its process

bool session_logged_on(const struct database *database, int row);

#endif
