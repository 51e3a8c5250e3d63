// SPDX-License-Identifier: GPL-2.0-or-later
// v$sql: the statement that each session runs, or ran last. Oracle has those of
// its library cache.
#include <sqlite3.h>
#include <string.h>

#include "sql/types/utf8.h"
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

enum { PIECE = 64, PIECES = (SGA_SQL_TEXT + PIECE - 1) / PIECE };

static const struct session_slot *slot_of_piece(const struct fixed_cell *cell) {
    return &cell->database->sga->session[cell->row / PIECES];
}

// A character that two pieces share is question marks in both.
static void piece(const struct fixed_cell *cell) {
    const char *text =
        slot_of_piece(cell)->sql_text + cell->row % PIECES * PIECE;
    const size_t length = strnlen(text, PIECE);
    char copy[PIECE];
    memcpy(copy, text, length);
    utf8_clean(copy, length);
    sqlite3_result_text(cell->context, copy, (int)length, SQLITE_TRANSIENT);
}

static void piece_number(const struct fixed_cell *cell) {
    fixed_integer(cell, cell->row % PIECES);
}

static void piece_id(const struct fixed_cell *cell) {
    fixed_text(cell, slot_of_piece(cell)->sql_id);
}

static void piece_hash(const struct fixed_cell *cell) {
    fixed_integer(cell, slot_of_piece(cell)->sql_hash);
}

static void piece_command(const struct fixed_cell *cell) {
    fixed_integer(cell, slot_of_piece(cell)->command);
}

static bool has_piece(const struct database *database, int row) {
    return is_first(database, row / PIECES) &&
           strlen(database->sga->session[row / PIECES].sql_text) >
               (size_t)(row % PIECES) * PIECE;
}

static const struct fixed_column text_columns[] = {
    {"HASH_VALUE", "NUMBER", piece_hash},
    {"SQL_ID", "VARCHAR2(13)", piece_id},
    {"COMMAND_TYPE", "NUMBER", piece_command},
    {"PIECE", "NUMBER", piece_number},
    {"SQL_TEXT", "VARCHAR2(64)", piece},
    {"CON_ID", "NUMBER", fixed_zero},
    {0},
};

const struct fixed_table sql_views[] = {
    {"V$SQL", sql_columns, SGA_SESSIONS, is_first},
    {"V$SQLAREA", sql_columns, SGA_SESSIONS, is_first},
    {"V$SQLTEXT", text_columns, SGA_SESSIONS *PIECES, has_piece},
    {0},
};
