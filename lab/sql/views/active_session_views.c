// SPDX-License-Identifier: GPL-2.0-or-later
// v$active_session_history: the activity of sessions at each second. A row
// stands for one second of its session.
#include <sqlite3.h>
#include <string.h>

#include "sql/types/oracle_date.h"
#include "sql/views/fixed_table.h"

static const struct active_row *row_of(const struct fixed_cell *cell) {
    return &cell->database->sga->active_sessions.row[cell->row];
}

static const struct wait_event_name *event_of(const struct fixed_cell *cell) {
    return &wait_event_names[row_of(cell)->event];
}

static void text(const struct fixed_cell *cell) {
    fixed_text(cell, (const char *)row_of(cell) + cell->column->offset);
}

static void number(const struct fixed_cell *cell) {
    uint32_t value;
    memcpy(&value, (const char *)row_of(cell) + cell->column->offset,
           sizeof value);
    fixed_integer(cell, value);
}

static void at(const struct fixed_cell *cell) {
    const int64_t ms = row_of(cell)->at_ms;
    const struct oracle_date date =
        oracle_date_of(ms / 1000, (uint32_t)(ms % 1000) * 1000000);
    uint8_t bytes[TIMESTAMP_BYTES];
    oracle_date_write(&date, bytes, sizeof bytes);
    sqlite3_result_blob(cell->context, bytes, sizeof bytes, SQLITE_TRANSIENT);
}

static void state(const struct fixed_cell *cell) {
    fixed_text(cell, row_of(cell)->waiting ? "WAITING" : "ON CPU");
}

// NULL of a session that does not wait, as are its class and their numbers.
static void event(const struct fixed_cell *cell) {
    if (row_of(cell)->waiting)
        fixed_text(cell, event_of(cell)->name);
}

static void event_id(const struct fixed_cell *cell) {
    if (row_of(cell)->waiting && event_of(cell)->id)
        fixed_integer(cell, event_of(cell)->id);
}

static void event_number(const struct fixed_cell *cell) {
    if (row_of(cell)->waiting)
        fixed_integer(cell, row_of(cell)->event);
}

static void wait_class(const struct fixed_cell *cell) {
    if (row_of(cell)->waiting)
        fixed_text(cell, event_of(cell)->class->name);
}

static void wait_class_id(const struct fixed_cell *cell) {
    if (row_of(cell)->waiting)
        fixed_integer(cell, event_of(cell)->class->id);
}

static void sequence(const struct fixed_cell *cell) {
    fixed_integer(cell, row_of(cell)->sequence % 65536);
}

// `offset` is the parameter's index, 0 to 2; of the last wait where the
// session does not wait.
static void parameter(const struct fixed_cell *cell) {
    fixed_integer(cell, row_of(cell)->parameter[cell->column->offset]);
}

static void parameter_text(const struct fixed_cell *cell) {
    fixed_text(cell, event_of(cell)->parameter[cell->column->offset]);
}

static void blocking_status(const struct fixed_cell *cell) {
    fixed_text(cell, row_of(cell)->blocker   ? "VALID"
                     : row_of(cell)->waiting ? "NO HOLDER"
                                             : "NOT IN WAIT");
}

static void blocker(const struct fixed_cell *cell) {
    if (row_of(cell)->blocker)
        fixed_integer(cell, row_of(cell)->blocker);
}

static void blocker_serial(const struct fixed_cell *cell) {
    if (row_of(cell)->blocker)
        fixed_integer(cell, row_of(cell)->blocker_serial);
}

static void blocker_instance(const struct fixed_cell *cell) {
    if (row_of(cell)->blocker)
        fixed_integer(cell, 1);
}

static void command(const struct fixed_cell *cell) {
    fixed_integer(cell, row_of(cell)->command);
}

static void interval(const struct fixed_cell *cell) {
    fixed_integer(cell, ACTIVE_SECONDS * 1000000);
}

static void minus_one(const struct fixed_cell *cell) {
    fixed_integer(cell, -1);
}

#define TEXT(name, length, member)                                             \
    { name, "VARCHAR2(" #length ")", text, offsetof(struct active_row, member) }
#define NUMBER(name, member)                                                   \
    { name, "NUMBER", number, offsetof(struct active_row, member) }

static const struct fixed_column columns[] = {
    NUMBER("SAMPLE_ID", sample),
    {"SAMPLE_TIME", "TIMESTAMP(3)", at},
    {"USECS_PER_ROW", "NUMBER", interval},
    {"IS_AWR_SAMPLE", "VARCHAR2(1)", .text = "N"},
    NUMBER("SESSION_ID", sid),
    NUMBER("SESSION_SERIAL#", serial),
    {"SESSION_TYPE", "VARCHAR2(10)", .text = "FOREGROUND"},
    TEXT("SQL_ID", 13, sql_id),
    {"IS_SQLID_CURRENT", "VARCHAR2(1)", .text = "Y"},
    {"SQL_CHILD_NUMBER", "NUMBER", fixed_zero},
    {"SQL_OPCODE", "NUMBER", command},
    {"EVENT", "VARCHAR2(64)", event},
    {"EVENT_ID", "NUMBER", event_id},
    {"EVENT#", "NUMBER", event_number},
    {"SEQ#", "NUMBER", sequence},
    {"P1TEXT", "VARCHAR2(64)", parameter_text, 0},
    {"P1", "NUMBER", parameter, 0},
    {"P2TEXT", "VARCHAR2(64)", parameter_text, 1},
    {"P2", "NUMBER", parameter, 1},
    {"P3TEXT", "VARCHAR2(64)", parameter_text, 2},
    {"P3", "NUMBER", parameter, 2},
    {"WAIT_CLASS", "VARCHAR2(64)", wait_class},
    {"WAIT_CLASS_ID", "NUMBER", wait_class_id},
    {"SESSION_STATE", "VARCHAR2(7)", state},
    {"BLOCKING_SESSION_STATUS", "VARCHAR2(11)", blocking_status},
    {"BLOCKING_SESSION", "NUMBER", blocker},
    {"BLOCKING_SESSION_SERIAL#", "NUMBER", blocker_serial},
    {"BLOCKING_INST_ID", "NUMBER", blocker_instance},
    {"CURRENT_OBJ#", "NUMBER", minus_one},
    TEXT("PROGRAM", 64, program),
    TEXT("MODULE", 64, module),
    TEXT("ACTION", 64, action),
    TEXT("CLIENT_ID", 64, client_identifier),
    TEXT("MACHINE", 64, machine),
    {"CON_ID", "NUMBER", fixed_zero},
    {0},
};

static bool has_row(const struct database *database, int row) {
    return active_sessions_has(&database->sga->active_sessions, row);
}

const struct fixed_table active_session_views[] = {
    {"V$ACTIVE_SESSION_HISTORY", columns, ACTIVE_ROWS, has_row},
    {0},
};
