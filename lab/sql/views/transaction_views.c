// SPDX-License-Identifier: GPL-2.0-or-later
// v$transaction, and the TX locks of v$lock: those that transactions hold, and
// those that sessions wait for. The lab has locks of no other type.
#include <stdio.h>
#include <time.h>

#include "process/transaction_id.h"
#include "sql/views/slot_columns.h"
#include "sql/views/transaction_columns.h"

enum {
    EXCLUSIVE = 6, // LMODE and REQUEST
    BLOCKING = 1,
};

bool transaction_is_shown(const struct database *database, int row) {
    return slot_is_present(database, row) &&
           database->sga->session[row].transaction;
}

void transaction_address(const struct fixed_cell *cell) {
    fixed_address(cell, TRANSACTION_ADDRESS);
}

static void session_address(const struct fixed_cell *cell) {
    fixed_address(cell, SESSION_ADDRESS);
}

static void segment(const struct fixed_cell *cell) {
    fixed_integer(cell, transaction_segment((unsigned)cell->row));
}

static void slot(const struct fixed_cell *cell) {
    fixed_integer(cell, transaction_slot((unsigned)cell->row));
}

static void start_time(const struct fixed_cell *cell) {
    const time_t began = slot_of(cell)->transaction_began;
    struct tm local;
    char text[18];
    gmtime_r(&began, &local);
    strftime(text, sizeof text, "%m/%d/%y %H:%M:%S", &local);
    fixed_text(cell, text);
}

static void start_date(const struct fixed_cell *cell) {
    fixed_date(cell, slot_of(cell)->transaction_began);
}

static const struct fixed_column transaction_columns[] = {
    {"ADDR", "RAW(8)", transaction_address},
    {"XIDUSN", "NUMBER", segment},
    {"XIDSLOT", "NUMBER", slot},
    SLOT_U32("XIDSQN", transaction),
    {"STATUS", "VARCHAR2(16)", .text = "ACTIVE"},
    {"START_TIME", "VARCHAR2(20)", start_time},
    {"SES_ADDR", "RAW(8)", session_address},
    {"START_DATE", "DATE", start_date},
    {"CON_ID", "NUMBER", fixed_zero},
    {0},
};

// v$lock has a row for each session's own lock, then one for each that it may
// wait for.
static bool waits(const struct fixed_cell *cell) {
    return cell->row >= SGA_SESSIONS;
}

static int session_of(const struct fixed_cell *cell) {
    return cell->row % SGA_SESSIONS;
}

static unsigned blocker_of(const struct database *database, int session) {
    return database->sga->session[session].blocker;
}

// Whose lock it is.
static int holder_of(const struct fixed_cell *cell) {
    const int session = session_of(cell);
    const unsigned blocker = blocker_of(cell->database, session);
    return waits(cell) && blocker ? (int)blocker - 1 : session;
}

static bool lock_is_present(const struct database *database, int row) {
    if (row < SGA_SESSIONS)
        return transaction_is_shown(database, row);
    const int session = row - SGA_SESSIONS;
    return slot_is_present(database, session) && blocker_of(database, session);
}

static void lock_address(const struct fixed_cell *cell) {
    struct fixed_cell of = *cell;
    of.row = holder_of(cell);
    fixed_address(&of, TRANSACTION_ADDRESS);
}

static void lock_session(const struct fixed_cell *cell) {
    fixed_integer(cell, session_of(cell) + 1);
}

static void lock_id1(const struct fixed_cell *cell) {
    const unsigned holder = (unsigned)holder_of(cell);
    fixed_integer(cell,
                  transaction_segment(holder) << 16 | transaction_slot(holder));
}

static void lock_id2(const struct fixed_cell *cell) {
    const struct sga *sga = cell->database->sga;
    fixed_integer(cell, sga->session[holder_of(cell)].transaction);
}

static void lock_mode(const struct fixed_cell *cell) {
    fixed_integer(cell, waits(cell) ? 0 : EXCLUSIVE);
}

static void lock_request(const struct fixed_cell *cell) {
    fixed_integer(cell, waits(cell) ? EXCLUSIVE : 0);
}

// Seconds that it has been held, or waited for.
static void lock_seconds(const struct fixed_cell *cell) {
    const struct session_slot *of =
        &cell->database->sga->session[session_of(cell)];
    fixed_integer(cell, waits(cell)
                            ? (clock_us() - of->waits.began_us) / 1000000
                            : time(NULL) - of->transaction_began);
}

static void lock_blocks(const struct fixed_cell *cell) {
    const unsigned sid = (unsigned)session_of(cell) + 1;
    bool blocks = false;
    for (int i = 0; i < SGA_SESSIONS && !waits(cell) && !blocks; i++)
        blocks = slot_is_present(cell->database, i) &&
                 blocker_of(cell->database, i) == sid;
    fixed_integer(cell, blocks ? BLOCKING : 0);
}

static const struct fixed_column lock_columns[] = {
    {"ADDR", "RAW(8)", lock_address},  {"KADDR", "RAW(8)", lock_address},
    {"SID", "NUMBER", lock_session},   {"TYPE", "VARCHAR2(2)", .text = "TX"},
    {"ID1", "NUMBER", lock_id1},       {"ID2", "NUMBER", lock_id2},
    {"LMODE", "NUMBER", lock_mode},    {"REQUEST", "NUMBER", lock_request},
    {"CTIME", "NUMBER", lock_seconds}, {"BLOCK", "NUMBER", lock_blocks},
    {"CON_ID", "NUMBER", fixed_zero},  {0},
};

const struct fixed_table transaction_views[] = {
    {"V$TRANSACTION", transaction_columns, SGA_SESSIONS, transaction_is_shown},
    {"V$LOCK", lock_columns, 2 * SGA_SESSIONS, lock_is_present},
    {0},
};
