// SPDX-License-Identifier: GPL-2.0-or-later
// v$session. What this server has no notion of is NULL, or what Oracle shows
// where it is not in use.
#include <sqlite3.h>
#include <time.h>

#include "sql/dictionary.h"
#include "sql/session_waits.h"

static VALUE(session_address) {
    UNUSED;
    fixed_address(context, SESSION_ADDRESS, row);
}

static VALUE(user_number) {
    UNUSED;
    fixed_integer(context, USER_NUMBER);
}

static VALUE(minus_one) {
    UNUSED;
    fixed_integer(context, -1);
}

static VALUE(no) {
    UNUSED;
    fixed_text(context, "NO");
}

static VALUE(none) {
    UNUSED;
    fixed_text(context, "NONE");
}

static VALUE(disabled) {
    UNUSED;
    fixed_text(context, "DISABLED");
}

static VALUE(enabled) {
    UNUSED;
    fixed_text(context, "ENABLED");
}

static VALUE(status) {
    SLOT;
    fixed_text(context, slot->active ? "ACTIVE" : "INACTIVE");
}

static VALUE(server) {
    UNUSED;
    fixed_text(context, "DEDICATED");
}

static VALUE(type) {
    UNUSED;
    fixed_text(context, "USER");
}

static VALUE(logon_time) {
    SLOT;
    fixed_date(context, slot->logon_time);
}

static VALUE(service_name) {
    UNUSED;
    fixed_text(context, database->sga->instance);
}

// Seconds since the session became active or inactive.
static VALUE(last_call_et) {
    SLOT;
    const int64_t since = slot->time.call_began_us ? slot->time.call_began_us
                                                   : slot->call_ended_us;
    fixed_integer(context, since ? (clock_us() - since) / 1000000 : 0);
}

static VALUE(sql_address) {
    SLOT;
    if (*slot->sql_id)
        fixed_address(context, slot->sql_hash & 0xff, row);
}

static VALUE(sql_child) {
    SLOT;
    if (*slot->sql_id)
        fixed_integer(context, 0);
}

static VALUE(sql_exec_start) {
    SLOT;
    if (slot->active && *slot->sql_id)
        fixed_date(context,
                   time(NULL) -
                       (clock_us() - slot->time.call_began_us) / 1000000);
}

static VALUE(command) {
    SLOT;
    fixed_integer(context, slot->command);
}

static VALUE(blocking_status) {
    SLOT;
    fixed_text(context, slot->blocker ? "VALID" : "NO HOLDER");
}

static VALUE(blocking_instance) {
    SLOT;
    if (slot->blocker)
        fixed_integer(context, 1);
}

static VALUE(blocking_session) {
    SLOT;
    if (slot->blocker)
        fixed_integer(context, slot->blocker);
}

// At the end of the chain of who waits for whom.
static VALUE(final_blocking_session) {
    SLOT;
    unsigned last = slot->blocker;
    for (int i = 0; last && i < SGA_SESSIONS; i++) {
        const unsigned next = database->sga->session[last - 1].blocker;
        if (!next)
            break;
        last = next;
    }
    if (last)
        fixed_integer(context, last);
}

static const struct fixed_column session_columns[] = {
    {"SADDR", "RAW(8)", session_address, 0},
    NUMBER("SID", slot_sid),
    U32("SERIAL#", serial),
    NUMBER("AUDSID", slot_sid),
    {"PADDR", "RAW(8)", slot_process, 0},
    NUMBER("USER#", user_number),
    TEXT("USERNAME", 128, user),
    NUMBER("COMMAND", command),
    NUMBER("OWNERID", NULL),
    {"TADDR", "VARCHAR2(16)", NULL, 0},
    {"LOCKWAIT", "VARCHAR2(16)", NULL, 0},
    {"STATUS", "VARCHAR2(8)", status, 0},
    {"SERVER", "VARCHAR2(9)", server, 0},
    NUMBER("SCHEMA#", user_number),
    TEXT("SCHEMANAME", 128, user),
    TEXT("OSUSER", 128, os_user),
    TEXT("PROCESS", 24, client_pid),
    TEXT("MACHINE", 64, machine),
    NUMBER("PORT", NULL),
    TEXT("TERMINAL", 30, terminal),
    TEXT("PROGRAM", 48, program),
    {"TYPE", "VARCHAR2(10)", type, 0},
    {"SQL_ADDRESS", "RAW(8)", sql_address, 0},
    U32("SQL_HASH_VALUE", sql_hash),
    TEXT("SQL_ID", 13, sql_id),
    NUMBER("SQL_CHILD_NUMBER", sql_child),
    {"SQL_EXEC_START", "DATE", sql_exec_start, 0},
    NUMBER("SQL_EXEC_ID", NULL),
    {"PREV_SQL_ADDR", "RAW(8)", NULL, 0},
    U32("PREV_HASH_VALUE", previous_sql_hash),
    TEXT("PREV_SQL_ID", 13, previous_sql_id),
    NUMBER("PREV_CHILD_NUMBER", NULL),
    {"PREV_EXEC_START", "DATE", NULL, 0},
    NUMBER("PREV_EXEC_ID", NULL),
    NUMBER("PLSQL_ENTRY_OBJECT_ID", NULL),
    NUMBER("PLSQL_ENTRY_SUBPROGRAM_ID", NULL),
    NUMBER("PLSQL_OBJECT_ID", NULL),
    NUMBER("PLSQL_SUBPROGRAM_ID", NULL),
    TEXT("MODULE", 64, module),
    NUMBER("MODULE_HASH", NULL),
    TEXT("ACTION", 64, action),
    NUMBER("ACTION_HASH", NULL),
    TEXT("CLIENT_INFO", 64, client_info),
    NUMBER("FIXED_TABLE_SEQUENCE", wait_sequence),
    NUMBER("ROW_WAIT_OBJ#", minus_one),
    NUMBER("ROW_WAIT_FILE#", fixed_zero),
    NUMBER("ROW_WAIT_BLOCK#", fixed_zero),
    NUMBER("ROW_WAIT_ROW#", fixed_zero),
    NUMBER("TOP_LEVEL_CALL#", NULL),
    {"LOGON_TIME", "DATE", logon_time, 0},
    NUMBER("LAST_CALL_ET", last_call_et),
    {"PDML_ENABLED", "VARCHAR2(3)", no, 0},
    {"FAILOVER_TYPE", "VARCHAR2(13)", none, 0},
    {"FAILOVER_METHOD", "VARCHAR2(10)", none, 0},
    {"FAILED_OVER", "VARCHAR2(3)", no, 0},
    {"RESOURCE_CONSUMER_GROUP", "VARCHAR2(32)", NULL, 0},
    {"PDML_STATUS", "VARCHAR2(8)", disabled, 0},
    {"PDDL_STATUS", "VARCHAR2(8)", enabled, 0},
    {"PQ_STATUS", "VARCHAR2(8)", enabled, 0},
    NUMBER("CURRENT_QUEUE_DURATION", fixed_zero),
    TEXT("CLIENT_IDENTIFIER", 64, client_identifier),
    {"BLOCKING_SESSION_STATUS", "VARCHAR2(11)", blocking_status, 0},
    NUMBER("BLOCKING_INSTANCE", blocking_instance),
    NUMBER("BLOCKING_SESSION", blocking_session),
    {"FINAL_BLOCKING_SESSION_STATUS", "VARCHAR2(11)", blocking_status, 0},
    NUMBER("FINAL_BLOCKING_INSTANCE", blocking_instance),
    NUMBER("FINAL_BLOCKING_SESSION", final_blocking_session),
    NUMBER("SEQ#", wait_sequence),
    NUMBER("EVENT#", wait_event_number),
    {"EVENT", "VARCHAR2(64)", wait_event_text, 0},
    PARAMETERS(1),
    PARAMETERS(2),
    PARAMETERS(3),
    WAIT_CLASS_COLUMNS,
    {"SERVICE_NAME", "VARCHAR2(64)", service_name, 0},
    {"SQL_TRACE", "VARCHAR2(8)", disabled, 0},
    {"SQL_TRACE_WAITS", "VARCHAR2(5)", NULL, 0},
    {"SQL_TRACE_BINDS", "VARCHAR2(5)", NULL, 0},
    {"SESSION_EDITION_ID", "NUMBER", NULL, 0},
    {"CREATOR_ADDR", "RAW(8)", slot_process, 0},
    U32("CREATOR_SERIAL#", serial),
    {"ECID", "VARCHAR2(64)", NULL, 0},
    {"SQL_TRANSLATION_PROFILE_ID", "NUMBER", NULL, 0},
    NUMBER("CON_ID", fixed_zero),
    {0},
};

const struct fixed_table session_views[] = {
    {"V$SESSION", session_columns, SGA_SESSIONS, session_logged_on},
    {0},
};
