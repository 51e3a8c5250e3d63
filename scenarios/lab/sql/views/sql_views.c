// SPDX-License-Identifier: GPL-2.0-or-later
// v$sql: the statement that each session runs, or ran last. Oracle has those of
// its library cache.
#include <string.h>

#include "sql/views/slot_columns.h"

static void address(const struct fixed_cell *cell) {
    fixed_address(cell, slot_of(cell)->sql_hash & 0xff);
}

static void command_type(const struct fixed_cell *cell) {
    fixed_integer(cell, slot_of(cell)->command);
}

// One row for a statement, whatever sessions run it: the first one's.
static bool is_first(const struct database *database, int row) {
    const struct session_slot *session = database->sga->session;
    if (!slot_is_logged_on(database, row) || !*session[row].sql_id)
        return false;
    for (int i = 0; i < row; i++)
        if (slot_is_logged_on(database, i) &&
            strcmp(session[i].sql_id, session[row].sql_id) == 0)
            return false;
    return true;
}

static const struct fixed_column sql_columns[] = {
    SLOT_TEXT("SQL_TEXT", 1000, sql_text),
    SLOT_TEXT("SQL_ID", 13, sql_id),
    SLOT_U32("HASH_VALUE", sql_hash),
    {"ADDRESS", "RAW(8)", address},
    {"CHILD_NUMBER", "NUMBER", fixed_zero},
    {"COMMAND_TYPE", "NUMBER", command_type},
    {"CON_ID", "NUMBER", fixed_zero},
    {0},
};

const struct fixed_table sql_views[] = {
    {"V$SQL", sql_columns, SGA_SESSIONS, is_first},
    {0},
};
