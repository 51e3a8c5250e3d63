// SPDX-License-Identifier: GPL-2.0-or-later
// v$session. A column without a counterpart in this server is NULL, or has the
// value that Oracle shows for an unused feature.
#include <sqlite3.h>
#include <stdio.h>
#include <time.h>

#include "process/sql_trace.h"
#include "sql/views/dictionary.h"
#include "sql/views/session_waits.h"
#include "sql/views/transaction_columns.h"

static void session_address(const struct fixed_cell *cell) {
    fixed_address(cell, SESSION_ADDRESS);
}

// In hexadecimal, other than v$transaction's ADDR.
static void transaction(const struct fixed_cell *cell) {
    char text[17];
    if (!transaction_is_shown(cell->database, cell->row))
        return;
    snprintf(text, sizeof text, "%08X%02X%04X00", 0, TRANSACTION_ADDRESS,
             (unsigned)cell->row);
    fixed_text(cell, text);
}

static void user_number(const struct fixed_cell *cell) {
    fixed_integer(cell, USER_NUMBER);
}

static void minus_one(const struct fixed_cell *cell) {
    fixed_integer(cell, -1);
}

static void status(const struct fixed_cell *cell) {
    const struct session_slot *slot = slot_of(cell);
    fixed_text(cell, slot->active ? "ACTIVE" : "INACTIVE");
}

static void logon_time(const struct fixed_cell *cell) {
    const struct session_slot *slot = slot_of(cell);
    fixed_date(cell, slot->logon_time);
}

static void service_name(const struct fixed_cell *cell) {
    fixed_text(cell, cell->database->sga->instance);
}

// Seconds since the session became active or inactive.
static void last_call_et(const struct fixed_cell *cell) {
    const struct session_slot *slot = slot_of(cell);
    const int64_t since = slot->time.call_began_us ? slot->time.call_began_us
                                                   : slot->call_ended_us;
    fixed_integer(cell, since ? (clock_us() - since) / 1000000 : 0);
}

static void sql_address(const struct fixed_cell *cell) {
    const struct session_slot *slot = slot_of(cell);
    if (*slot->sql_id)
        fixed_address(cell, slot->sql_hash & 0xff);
}

static void sql_child(const struct fixed_cell *cell) {
    const struct session_slot *slot = slot_of(cell);
    if (*slot->sql_id)
        fixed_integer(cell, 0);
}

static void sql_exec_start(const struct fixed_cell *cell) {
    const struct session_slot *slot = slot_of(cell);
    if (slot->active && *slot->sql_id)
        fixed_date(cell, time(NULL) -
                             (clock_us() - slot->time.call_began_us) / 1000000);
}

static void command(const struct fixed_cell *cell) {
    const struct session_slot *slot = slot_of(cell);
    fixed_integer(cell, slot->command);
}

static void blocking_status(const struct fixed_cell *cell) {
    const struct session_slot *slot = slot_of(cell);
    fixed_text(cell, slot->blocker ? "VALID" : "NO HOLDER");
}

static void blocking_instance(const struct fixed_cell *cell) {
    const struct session_slot *slot = slot_of(cell);
    if (slot->blocker)
        fixed_integer(cell, 1);
}

static void blocking_session(const struct fixed_cell *cell) {
    const struct session_slot *slot = slot_of(cell);
    if (slot->blocker)
        fixed_integer(cell, slot->blocker);
}

// The session at the end of the chain of blockers.
static void final_blocking_session(const struct fixed_cell *cell) {
    const struct session_slot *slot = slot_of(cell);
    unsigned last = slot->blocker;
    for (int i = 0; last && i < SGA_SESSIONS; i++) {
        const unsigned next = cell->database->sga->session[last - 1].blocker;
        if (!next)
            break;
        last = next;
    }
    if (last)
        fixed_integer(cell, last);
}

static void sql_trace(const struct fixed_cell *cell) {
    const struct session_slot *slot = slot_of(cell);
    fixed_text(cell, slot->sql_trace ? "ENABLED" : "DISABLED");
}

// Whether the bit `offset` of the level is set.
static void trace_flag(const struct fixed_cell *cell) {
    const struct session_slot *slot = slot_of(cell);
    fixed_text(cell, slot->sql_trace & cell->column->offset ? "TRUE" : "FALSE");
}

static void trace_plans(const struct fixed_cell *cell) {
    const struct session_slot *slot = slot_of(cell);
    fixed_text(cell, slot->sql_trace & SQL_TRACE_EVERY_PLAN ? "ALL EXEC"
                     : slot->sql_trace & SQL_TRACE_NO_PLAN  ? "NEVER"
                                                            : "FIRST EXEC");
}

static const struct fixed_column session_columns[] = {
    {"SADDR", "RAW(8)", session_address},
    {"SID", "NUMBER", slot_sid},
    SLOT_U32("SERIAL#", serial),
    {"AUDSID", "NUMBER", slot_sid},
    {"PADDR", "RAW(8)", slot_process},
    {"USER#", "NUMBER", user_number},
    SLOT_TEXT("USERNAME", 128, user),
    {"COMMAND", "NUMBER", command},
    {"OWNERID", "NUMBER"},
    {"TADDR", "VARCHAR2(16)", transaction},
    {"LOCKWAIT", "VARCHAR2(16)"},
    {"STATUS", "VARCHAR2(8)", status},
    {"SERVER", "VARCHAR2(9)", .text = "DEDICATED"},
    {"SCHEMA#", "NUMBER", user_number},
    SLOT_TEXT("SCHEMANAME", 128, user),
    SLOT_TEXT("OSUSER", 128, os_user),
    SLOT_TEXT("PROCESS", 24, client_pid),
    SLOT_TEXT("MACHINE", 64, machine),
    {"PORT", "NUMBER"},
    SLOT_TEXT("TERMINAL", 30, terminal),
    SLOT_TEXT("PROGRAM", 48, program),
    {"TYPE", "VARCHAR2(10)", .text = "USER"},
    {"SQL_ADDRESS", "RAW(8)", sql_address},
    SLOT_U32("SQL_HASH_VALUE", sql_hash),
    SLOT_TEXT("SQL_ID", 13, sql_id),
    {"SQL_CHILD_NUMBER", "NUMBER", sql_child},
    {"SQL_EXEC_START", "DATE", sql_exec_start},
    {"SQL_EXEC_ID", "NUMBER"},
    {"PREV_SQL_ADDR", "RAW(8)"},
    SLOT_U32("PREV_HASH_VALUE", previous_sql_hash),
    SLOT_TEXT("PREV_SQL_ID", 13, previous_sql_id),
    {"PREV_CHILD_NUMBER", "NUMBER"},
    {"PREV_EXEC_START", "DATE"},
    {"PREV_EXEC_ID", "NUMBER"},
    {"PLSQL_ENTRY_OBJECT_ID", "NUMBER"},
    {"PLSQL_ENTRY_SUBPROGRAM_ID", "NUMBER"},
    {"PLSQL_OBJECT_ID", "NUMBER"},
    {"PLSQL_SUBPROGRAM_ID", "NUMBER"},
    SLOT_TEXT("MODULE", 64, module),
    {"MODULE_HASH", "NUMBER"},
    SLOT_TEXT("ACTION", 64, action),
    {"ACTION_HASH", "NUMBER"},
    SLOT_TEXT("CLIENT_INFO", 64, client_info),
    {"FIXED_TABLE_SEQUENCE", "NUMBER", session_wait_sequence},
    {"ROW_WAIT_OBJ#", "NUMBER", minus_one},
    {"ROW_WAIT_FILE#", "NUMBER", fixed_zero},
    {"ROW_WAIT_BLOCK#", "NUMBER", fixed_zero},
    {"ROW_WAIT_ROW#", "NUMBER", fixed_zero},
    {"TOP_LEVEL_CALL#", "NUMBER"},
    {"LOGON_TIME", "DATE", logon_time},
    {"LAST_CALL_ET", "NUMBER", last_call_et},
    {"PDML_ENABLED", "VARCHAR2(3)", .text = "NO"},
    {"FAILOVER_TYPE", "VARCHAR2(13)", .text = "NONE"},
    {"FAILOVER_METHOD", "VARCHAR2(10)", .text = "NONE"},
    {"FAILED_OVER", "VARCHAR2(3)", .text = "NO"},
    {"RESOURCE_CONSUMER_GROUP", "VARCHAR2(32)"},
    {"PDML_STATUS", "VARCHAR2(8)", .text = "DISABLED"},
    {"PDDL_STATUS", "VARCHAR2(8)", .text = "ENABLED"},
    {"PQ_STATUS", "VARCHAR2(8)", .text = "ENABLED"},
    {"CURRENT_QUEUE_DURATION", "NUMBER", fixed_zero},
    SLOT_TEXT("CLIENT_IDENTIFIER", 64, client_identifier),
    {"BLOCKING_SESSION_STATUS", "VARCHAR2(11)", blocking_status},
    {"BLOCKING_INSTANCE", "NUMBER", blocking_instance},
    {"BLOCKING_SESSION", "NUMBER", blocking_session},
    {"FINAL_BLOCKING_SESSION_STATUS", "VARCHAR2(11)", blocking_status},
    {"FINAL_BLOCKING_INSTANCE", "NUMBER", blocking_instance},
    {"FINAL_BLOCKING_SESSION", "NUMBER", final_blocking_session},
    {"SEQ#", "NUMBER", session_wait_sequence},
    {"EVENT#", "NUMBER", session_wait_event_number},
    {"EVENT", "VARCHAR2(64)", session_wait_event_name},
    WAIT_PARAMETER_COLUMNS(1),
    WAIT_PARAMETER_COLUMNS(2),
    WAIT_PARAMETER_COLUMNS(3),
    WAIT_COLUMNS,
    {"SERVICE_NAME", "VARCHAR2(64)", service_name},
    {"SQL_TRACE", "VARCHAR2(8)", sql_trace},
    {"SQL_TRACE_WAITS", "VARCHAR2(5)", trace_flag, SQL_TRACE_WAITS},
    {"SQL_TRACE_BINDS", "VARCHAR2(5)", trace_flag, SQL_TRACE_BINDS},
    {"SQL_TRACE_PLAN_STATS", "VARCHAR2(10)", trace_plans},
    {"SESSION_EDITION_ID", "NUMBER"},
    {"CREATOR_ADDR", "RAW(8)", slot_process},
    SLOT_U32("CREATOR_SERIAL#", serial),
    {"ECID", "VARCHAR2(64)"},
    {"SQL_TRANSLATION_PROFILE_ID", "NUMBER"},
    {"CON_ID", "NUMBER", fixed_zero},
    {0},
};

const struct fixed_table session_views[] = {
    {"V$SESSION", session_columns, SGA_SESSIONS, slot_is_logged_on},
    {0},
};
