// SPDX-License-Identifier: GPL-2.0-or-later
// v$latch, v$latchname, v$latch_parent, v$latch_children, v$latchholder and
// v$latch_misses. No latch has children.
#include <sqlite3.h>

#include "sql/views/fixed_table.h"

static const struct latch_statistics *
statistics_of(const struct fixed_cell *cell) {
    return &cell->database->sga->latch[cell->row % LATCHES].statistics;
}

static void address_of(const struct fixed_cell *cell, enum latch_number n) {
    const uint64_t address = (uint64_t)latch_address(n);
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(address >> (56 - 8 * i));
    sqlite3_result_blob(cell->context, bytes, sizeof bytes, SQLITE_TRANSIENT);
}

static void address(const struct fixed_cell *cell) {
    address_of(cell, (enum latch_number)cell->row);
}

static void number(const struct fixed_cell *cell) {
    fixed_integer(cell, latch_names[cell->row].number);
}

static void level(const struct fixed_cell *cell) {
    fixed_integer(cell, latch_names[cell->row].level);
}

static void name(const struct fixed_cell *cell) {
    fixed_text(cell, latch_names[cell->row].name);
}

static void hash(const struct fixed_cell *cell) {
    fixed_integer(cell, latch_names[cell->row].hash);
}

static void figure(const struct fixed_cell *cell) {
    const char *position =
        (const char *)statistics_of(cell) + cell->column->offset;
    fixed_integer(cell, (int64_t)__atomic_load_n((const uint64_t *)position,
                                                 __ATOMIC_RELAXED));
}

#define FIGURE(name, member)                                                   \
    { name, "NUMBER", figure, offsetof(struct latch_statistics, member) }
#define LATCH_COLUMNS                                                          \
    {"ADDR", "RAW(8)", address}, {"LATCH#", "NUMBER", number},                 \
        {"LEVEL#", "NUMBER", level}, {"NAME", "VARCHAR2(64)", name},           \
        {"HASH", "NUMBER", hash}, FIGURE("GETS", gets),                        \
        FIGURE("MISSES", misses), FIGURE("SLEEPS", sleeps),                    \
        {"IMMEDIATE_GETS", "NUMBER", fixed_zero},                              \
        {"IMMEDIATE_MISSES", "NUMBER", fixed_zero},                            \
        FIGURE("WAITERS_WOKEN", woken),                                        \
        {"WAITS_HOLDING_LATCH", "NUMBER", fixed_zero},                         \
        FIGURE("SPIN_GETS", spin_gets), FIGURE("SLEEP1", slept[0]),            \
        FIGURE("SLEEP2", slept[1]), FIGURE("SLEEP3", slept[2]),                \
        FIGURE("SLEEP4", slept[3]), FIGURE("WAIT_TIME", wait_us), {            \
        "CON_ID", "NUMBER", fixed_zero                                         \
    }

static const struct fixed_column latch[] = {LATCH_COLUMNS, {0}};

static const struct fixed_column latch_name_columns[] = {
    {"LATCH#", "NUMBER", number},           {"NAME", "VARCHAR2(64)", name},
    {"DISPLAY_NAME", "VARCHAR2(64)", name}, {"HASH", "NUMBER", hash},
    {"CON_ID", "NUMBER", fixed_zero},       {0},
};

static const struct fixed_column children[] = {
    {"CHILD#", "NUMBER", fixed_zero}, LATCH_COLUMNS, {0}};

static bool no_child(const struct database *database, int row) {
    (void)database, (void)row;
    return false;
}

static bool holds(const struct database *database, int row) {
    enum latch_number n;
    enum latch_mode mode;
    return slot_is_present(database, row) &&
           latch_held_by(database->sga, (unsigned)row + 1, &n, &mode);
}

static enum latch_number held(const struct fixed_cell *cell) {
    enum latch_number n;
    enum latch_mode mode;
    latch_held_by(cell->database->sga, (unsigned)cell->row + 1, &n, &mode);
    return n % LATCHES;
}

static void holder_pid(const struct fixed_cell *cell) {
    fixed_integer(cell, cell->row + 1); // Oracle's number of the process
}

static void holder_sid(const struct fixed_cell *cell) {
    fixed_integer(cell, cell->row + 1);
}

static void held_address(const struct fixed_cell *cell) {
    address_of(cell, held(cell));
}

static void held_name(const struct fixed_cell *cell) {
    fixed_text(cell, latch_names[held(cell)].name);
}

static void held_gets(const struct fixed_cell *cell) {
    fixed_integer(
        cell, (int64_t)cell->database->sga->latch[held(cell)].statistics.gets);
}

static const struct fixed_column holder[] = {
    {"PID", "NUMBER", holder_pid},
    {"SID", "NUMBER", holder_sid},
    {"LADDR", "RAW(8)", held_address},
    {"NAME", "VARCHAR2(64)", held_name},
    {"GETS", "NUMBER", held_gets},
    {"CON_ID", "NUMBER", fixed_zero},
    {0},
};

static void where_name(const struct fixed_cell *cell) {
    fixed_text(cell, latch_names[cell->row / LATCH_WHERES].name);
}

static void where(const struct fixed_cell *cell) {
    fixed_text(cell, latch_wheres[cell->row % LATCH_WHERES]);
}

static void where_figure(const struct fixed_cell *cell) {
    const struct latch_statistics *of =
        &cell->database->sga->latch[cell->row / LATCH_WHERES].statistics;
    const uint64_t *figures =
        (const uint64_t *)((const char *)of + cell->column->offset);
    fixed_integer(cell, (int64_t)figures[cell->row % LATCH_WHERES]);
}

static const struct fixed_column misses[] = {
    {"PARENT_NAME", "VARCHAR2(64)", where_name},
    {"WHERE", "VARCHAR2(80)", where},
    {"NWFAIL_COUNT", "NUMBER", where_figure,
     offsetof(struct latch_statistics, no_wait_failures)},
    {"SLEEP_COUNT", "NUMBER", where_figure,
     offsetof(struct latch_statistics, sleeps_at)},
    {"WTR_SLP_COUNT", "NUMBER", where_figure,
     offsetof(struct latch_statistics, sleeps_for)},
    {"LONGHOLD_COUNT", "NUMBER", fixed_zero},
    {"LOCATION", "VARCHAR2(80)", where},
    {"CON_ID", "NUMBER", fixed_zero},
    {0},
};

const struct fixed_table latch_views[] = {
    {"V$LATCH", latch, LATCHES},
    {"V$LATCH_PARENT", latch, LATCHES},
    {"V$LATCH_CHILDREN", children, 1, no_child},
    {"V$LATCHNAME", latch_name_columns, LATCHES},
    {"V$LATCHHOLDER", holder, SGA_SESSIONS, holds},
    {"V$LATCH_MISSES", misses, LATCHES *LATCH_WHERES},
    {0},
};
