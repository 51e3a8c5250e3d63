// SPDX-License-Identifier: GPL-2.0-or-later
// v$session, v$session_wait and v$process. What this server has no notion of
// is NULL, or what Oracle shows where it is not in use.
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sql/dictionary.h"
#include "sql/fixed_table.h"

#define VALUE(name)                                                            \
    static void name(sqlite3_context *context,                                 \
                     const struct database *database, int row,                 \
                     const struct fixed_column *column)
#define UNUSED (void)database, (void)row, (void)column
#define SLOT                                                                   \
    (void)column;                                                              \
    const struct session_slot *slot = &database->sga->session[row]

bool session_present(const struct database *database, int row) {
    return database->sga->session[row].pid != 0;
}

static bool logged_on(const struct database *database, int row) {
    const struct session_slot *slot = &database->sga->session[row];
    return slot->pid != 0 && slot->logged_on;
}

static void integer(sqlite3_context *context, int64_t value) {
    sqlite3_result_int64(context, value);
}

// Where a column's value is a member of the slot.
VALUE(text_at) {
    const struct session_slot *slot = &database->sga->session[row];
    fixed_text(context, (const char *)slot + column->offset);
}

VALUE(u32_at) {
    uint32_t value;
    const struct session_slot *slot = &database->sga->session[row];
    memcpy(&value, (const char *)slot + column->offset, sizeof value);
    integer(context, value);
}

VALUE(session_address) {
    UNUSED;
    fixed_address(context, SESSION_ADDRESS, row);
}

VALUE(process_address) {
    UNUSED;
    fixed_address(context, PROCESS_ADDRESS, row);
}

VALUE(sid) {
    UNUSED;
    integer(context, row + 1);
}

VALUE(user_number) {
    UNUSED;
    integer(context, USER_NUMBER);
}

VALUE(minus_one) {
    UNUSED;
    integer(context, -1);
}

VALUE(no) {
    UNUSED;
    fixed_text(context, "NO");
}

VALUE(none) {
    UNUSED;
    fixed_text(context, "NONE");
}

VALUE(disabled) {
    UNUSED;
    fixed_text(context, "DISABLED");
}

VALUE(enabled) {
    UNUSED;
    fixed_text(context, "ENABLED");
}

VALUE(status) {
    SLOT;
    fixed_text(context, slot->active ? "ACTIVE" : "INACTIVE");
}

VALUE(server) {
    UNUSED;
    fixed_text(context, "DEDICATED");
}

VALUE(type) {
    UNUSED;
    fixed_text(context, "USER");
}

VALUE(logon_time) {
    SLOT;
    fixed_date(context, slot->logon_time);
}

VALUE(service_name) {
    UNUSED;
    fixed_text(context, database->sga->instance);
}

// Seconds since the session became active or inactive.
VALUE(last_call_et) {
    SLOT;
    const int64_t since = slot->time.call_began_us ? slot->time.call_began_us
                                                   : slot->call_ended_us;
    integer(context, since ? (clock_us() - since) / 1000000 : 0);
}

VALUE(sql_address) {
    SLOT;
    if (*slot->sql_id)
        fixed_address(context, slot->sql_hash & 0xff, row);
}

VALUE(sql_child) {
    SLOT;
    if (*slot->sql_id)
        integer(context, 0);
}

VALUE(sql_exec_start) {
    SLOT;
    if (slot->active && *slot->sql_id)
        fixed_date(context,
                   time(NULL) -
                       (clock_us() - slot->time.call_began_us) / 1000000);
}

VALUE(command) {
    SLOT;
    integer(context, slot->command);
}

// The wait, or the last one.
static const struct wait_event_name *event_of(const struct session_slot *slot) {
    return &wait_event_names[slot->waits.event % WAIT_EVENTS];
}

VALUE(event_number) {
    SLOT;
    integer(context, slot->waits.event);
}

VALUE(event) {
    SLOT;
    fixed_text(context, event_of(slot)->name);
}

VALUE(sequence) {
    SLOT;
    integer(context, slot->waits.sequence % 65536);
}

// `offset` is which of the three.
VALUE(parameter_text) {
    SLOT;
    fixed_text(context, event_of(slot)->parameter[column->offset]);
}

VALUE(parameter) {
    SLOT;
    integer(context, slot->waits.parameter[column->offset]);
}

VALUE(parameter_raw) {
    SLOT;
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] =
            (uint8_t)(slot->waits.parameter[column->offset] >> (56 - 8 * i));
    sqlite3_result_blob(context, bytes, sizeof bytes, SQLITE_TRANSIENT);
}

VALUE(wait_class_id) {
    SLOT;
    integer(context, event_of(slot)->class->id);
}

VALUE(wait_class_number) {
    SLOT;
    integer(context, event_of(slot)->class->number);
}

VALUE(wait_class) {
    SLOT;
    fixed_text(context, event_of(slot)->class->name);
}

// 0 while it waits, else how long the last wait was: in hundredths of a
// second, -1 for less than one.
VALUE(wait_time) {
    SLOT;
    const uint64_t last = slot->waits.last_us / 10000;
    integer(context, slot->waits.waiting ? 0 : last ? (int64_t)last : -1);
}

VALUE(wait_time_micro) {
    SLOT;
    integer(context, slot->waits.waiting ? clock_us() - slot->waits.began_us
                                         : (int64_t)slot->waits.last_us);
}

VALUE(seconds_in_wait) {
    SLOT;
    integer(context, (clock_us() - slot->waits.began_us) / 1000000);
}

VALUE(since_last_wait) {
    SLOT;
    integer(context,
            slot->waits.waiting ? 0 : clock_us() - slot->waits.ended_us);
}

VALUE(state) {
    SLOT;
    fixed_text(context, slot->waits.waiting            ? "WAITING"
                        : slot->waits.last_us >= 10000 ? "WAITED KNOWN TIME"
                                                       : "WAITED SHORT TIME");
}

VALUE(blocking_status) {
    SLOT;
    fixed_text(context, slot->blocker ? "VALID" : "NO HOLDER");
}

VALUE(blocking_instance) {
    SLOT;
    if (slot->blocker)
        integer(context, 1);
}

VALUE(blocking_session) {
    SLOT;
    if (slot->blocker)
        integer(context, slot->blocker);
}

VALUE(spid) {
    SLOT;
    char number[16];
    snprintf(number, sizeof number, "%d", (int)slot->pid);
    fixed_text(context, number);
}

// At the end of the chain of who waits for whom.
VALUE(final_blocking_session) {
    SLOT;
    unsigned last = slot->blocker;
    for (int i = 0; last && i < SGA_SESSIONS; i++) {
        const unsigned next = database->sga->session[last - 1].blocker;
        if (!next)
            break;
        last = next;
    }
    if (last)
        integer(context, last);
}

VALUE(execution_type) {
    UNUSED;
    fixed_text(context, "PROCESS");
}

VALUE(os_account) {
    UNUSED;
    fixed_text(context, "oracle");
}

VALUE(server_program) {
    UNUSED;
    char host[SGA_NAME] = "", name[SGA_NAME + 32];
    gethostname(host, sizeof host - 1);
    snprintf(name, sizeof name, "oracle@%.40s (TNS V1-V3)", host);
    fixed_text(context, name);
}

#define TEXT(name, length, member)                                             \
    {                                                                          \
        name, "VARCHAR2(" #length ")", text_at,                                \
            offsetof(struct session_slot, member)                              \
    }
#define U32(name, member)                                                      \
    { name, "NUMBER", u32_at, offsetof(struct session_slot, member) }
#define NUMBER(name, value)                                                    \
    { name, "NUMBER", value, 0 }
#define PARAMETERS(n)                                                          \
    {"P" #n "TEXT", "VARCHAR2(64)", parameter_text, n - 1},                    \
        {"P" #n, "NUMBER", parameter, n - 1}, {                                \
        "P" #n "RAW", "RAW(8)", parameter_raw, n - 1                           \
    }
#define WAIT_CLASS_COLUMNS                                                     \
    NUMBER("WAIT_CLASS_ID", wait_class_id),                                    \
        NUMBER("WAIT_CLASS#", wait_class_number),                              \
        {"WAIT_CLASS", "VARCHAR2(64)", wait_class, 0},                         \
        NUMBER("WAIT_TIME", wait_time),                                        \
        NUMBER("SECONDS_IN_WAIT", seconds_in_wait),                            \
        {"STATE", "VARCHAR2(19)", state, 0},                                   \
        NUMBER("WAIT_TIME_MICRO", wait_time_micro),                            \
        NUMBER("TIME_REMAINING_MICRO", NULL),                                  \
        NUMBER("TIME_SINCE_LAST_WAIT_MICRO", since_last_wait)

static const struct fixed_column session_columns[] = {
    {"SADDR", "RAW(8)", session_address, 0},
    NUMBER("SID", sid),
    U32("SERIAL#", serial),
    NUMBER("AUDSID", sid),
    {"PADDR", "RAW(8)", process_address, 0},
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
    NUMBER("FIXED_TABLE_SEQUENCE", sequence),
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
    NUMBER("SEQ#", sequence),
    NUMBER("EVENT#", event_number),
    {"EVENT", "VARCHAR2(64)", event, 0},
    PARAMETERS(1),
    PARAMETERS(2),
    PARAMETERS(3),
    WAIT_CLASS_COLUMNS,
    {"SERVICE_NAME", "VARCHAR2(64)", service_name, 0},
    {"SQL_TRACE", "VARCHAR2(8)", disabled, 0},
    {"SQL_TRACE_WAITS", "VARCHAR2(5)", NULL, 0},
    {"SQL_TRACE_BINDS", "VARCHAR2(5)", NULL, 0},
    {"SESSION_EDITION_ID", "NUMBER", NULL, 0},
    {"CREATOR_ADDR", "RAW(8)", process_address, 0},
    U32("CREATOR_SERIAL#", serial),
    {"ECID", "VARCHAR2(64)", NULL, 0},
    {"SQL_TRANSLATION_PROFILE_ID", "NUMBER", NULL, 0},
    NUMBER("CON_ID", fixed_zero),
    {0},
};

static const struct fixed_column wait_columns[] = {
    NUMBER("SID", sid),
    NUMBER("SEQ#", sequence),
    {"EVENT", "VARCHAR2(64)", event, 0},
    PARAMETERS(1),
    PARAMETERS(2),
    PARAMETERS(3),
    WAIT_CLASS_COLUMNS,
    NUMBER("CON_ID", fixed_zero),
    {0},
};

static const struct fixed_column process_columns[] = {
    {"ADDR", "RAW(8)", process_address, 0},
    NUMBER("PID", sid),
    {"SOSID", "VARCHAR2(24)", spid, 0},
    {"SPID", "VARCHAR2(24)", spid, 0},
    {"STID", "VARCHAR2(24)", spid, 0},
    {"EXECUTION_TYPE", "VARCHAR2(10)", execution_type, 0},
    {"PNAME", "VARCHAR2(5)", NULL, 0},
    {"USERNAME", "VARCHAR2(15)", os_account, 0},
    U32("SERIAL#", serial),
    TEXT("TERMINAL", 30, terminal),
    {"PROGRAM", "VARCHAR2(84)", server_program, 0},
    {"TRACEID", "VARCHAR2(255)", NULL, 0},
    {"TRACEFILE", "VARCHAR2(513)", NULL, 0},
    {"BACKGROUND", "VARCHAR2(1)", NULL, 0},
    {"LATCHWAIT", "VARCHAR2(16)", NULL, 0},
    {"LATCHSPIN", "VARCHAR2(16)", NULL, 0},
    NUMBER("PGA_USED_MEM", NULL),
    NUMBER("PGA_ALLOC_MEM", NULL),
    NUMBER("PGA_FREEABLE_MEM", NULL),
    NUMBER("PGA_MAX_MEM", NULL),
    NUMBER("NUMA_DEFAULT", NULL),
    NUMBER("NUMA_CURRENT", NULL),
    NUMBER("CON_ID", fixed_zero),
    {0},
};

const struct fixed_table session_views[] = {
    {"V$SESSION", session_columns, SGA_SESSIONS, logged_on},
    {"V$SESSION_WAIT", wait_columns, SGA_SESSIONS, logged_on},
    {"V$PROCESS", process_columns, SGA_SESSIONS, session_present},
    {0},
};
