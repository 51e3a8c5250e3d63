// SPDX-License-Identifier: GPL-2.0-or-later
// The work of the procedures of DBMS_MONITOR, DBMS_SESSION and DBMS_SYSTEM that
// switch SQL trace on and off. A NULL argument is one that was left out.
#include <sqlite3.h>
#include <stdio.h>
#include <strings.h>

#include "process/sql_trace.h"
#include "sql/execute/database.h"
#include "sql/functions/function.h"
#include "sql/types/value.h"

enum { NO_SUCH_SESSION = 30, INVALID_OPTION = 922 };

static bool is_given(sqlite3_value *value) {
    return sqlite3_value_type(value) != SQLITE_NULL;
}

static bool flag(sqlite3_value *value, bool if_left_out) {
    return is_given(value) ? sqlite3_value_int64(value) != 0 : if_left_out;
}

// The session of these numbers: by default one's own, and whatever its serial
// number is. NULL after an error.
static struct session_slot *session_of(sqlite3_context *context,
                                       sqlite3_value *sid,
                                       sqlite3_value *serial) {
    const struct database *database = sqlite3_user_data(context);
    const int64_t number = is_given(sid)
                               ? sqlite3_value_int64(sid)
                               : sga_sid(database->sga, database->self);
    struct session_slot *slot = number >= 1 && number <= SGA_SESSIONS
                                    ? &database->sga->session[number - 1]
                                    : NULL;
    if (slot && slot->pid && slot->logged_on &&
        (!is_given(serial) || sqlite3_value_int64(serial) == slot->serial))
        return slot;
    value_result_error(context, NO_SUCH_SESSION, "");
    return NULL;
}

// Waits and binds as wanted, and PLAN_STAT by its name. False after an error.
static bool level_of(sqlite3_context *context, sqlite3_value *waits,
                     sqlite3_value *binds, sqlite3_value *plan,
                     uint32_t *level) {
    static const struct {
        const char *name;
        uint32_t level;
    } plans[] = {{"first_execution", 0},
                 {"all_executions", SQL_TRACE_EVERY_PLAN},
                 {"never", SQL_TRACE_NO_PLAN}};
    const char *name = (const char *)sqlite3_value_text(plan);
    *level = SQL_TRACE_ON | (flag(waits, true) ? SQL_TRACE_WAITS : 0) |
             (flag(binds, false) ? SQL_TRACE_BINDS : 0);
    for (size_t i = 0; name && i < sizeof plans / sizeof *plans; i++)
        if (strcasecmp(name, plans[i].name) == 0) {
            *level |= plans[i].level;
            return true;
        }
    if (name)
        value_result_error(context, INVALID_OPTION, "");
    return !name;
}

// (session_id, serial_num, waits, binds, plan_stat)
static void session_trace_enable(sqlite3_context *context, int n,
                                 sqlite3_value **value) {
    (void)n;
    uint32_t level;
    struct session_slot *slot = session_of(context, value[0], value[1]);
    if (slot && level_of(context, value[2], value[3], value[4], &level))
        sql_trace_set(slot, level);
}

// (session_id, serial_num)
static void session_trace_disable(sqlite3_context *context, int n,
                                  sqlite3_value **value) {
    (void)n;
    struct session_slot *slot = session_of(context, value[0], value[1]);
    if (slot)
        sql_trace_set(slot, SQL_TRACE_OFF);
}

// (waits, binds, plan_stat) of one's own session
static void own_trace_enable(sqlite3_context *context, int n,
                             sqlite3_value **value) {
    (void)n;
    const struct database *database = sqlite3_user_data(context);
    uint32_t level;
    if (level_of(context, value[0], value[1], value[2], &level))
        sql_trace_set(database->self, level);
}

static void own_trace_disable(sqlite3_context *context, int n,
                              sqlite3_value **value) {
    (void)n, (void)value;
    const struct database *database = sqlite3_user_data(context);
    sql_trace_set(database->self, SQL_TRACE_OFF);
}

// (sql_trace) of one's own session
static void set_sql_trace(sqlite3_context *context, int n,
                          sqlite3_value **value) {
    (void)n;
    const struct database *database = sqlite3_user_data(context);
    sql_trace_set(database->self,
                  flag(value[0], false) ? SQL_TRACE_ON : SQL_TRACE_OFF);
}

// (sid, serial#, sql_trace)
static void set_sql_trace_in_session(sqlite3_context *context, int n,
                                     sqlite3_value **value) {
    (void)n;
    struct session_slot *slot = session_of(context, value[0], value[1]);
    if (slot)
        sql_trace_set(slot,
                      flag(value[2], false) ? SQL_TRACE_ON : SQL_TRACE_OFF);
}

const struct function trace_functions[] = {
    {"SESSION_TRACE_ENABLE$", 5, 5, OPERAND_UNKNOWN, FUNCTION_INTERNAL,
     session_trace_enable, .of_session = true},
    {"SESSION_TRACE_DISABLE$", 2, 2, OPERAND_UNKNOWN, FUNCTION_INTERNAL,
     session_trace_disable, .of_session = true},
    {"OWN_TRACE_ENABLE$", 3, 3, OPERAND_UNKNOWN, FUNCTION_INTERNAL,
     own_trace_enable, .of_session = true},
    {"OWN_TRACE_DISABLE$", 0, 0, OPERAND_UNKNOWN, FUNCTION_INTERNAL,
     own_trace_disable, .of_session = true},
    {"SET_SQL_TRACE$", 1, 1, OPERAND_UNKNOWN, FUNCTION_INTERNAL, set_sql_trace,
     .of_session = true},
    {"SET_SQL_TRACE_IN_SESSION$", 3, 3, OPERAND_UNKNOWN, FUNCTION_INTERNAL,
     set_sql_trace_in_session, .of_session = true},
    {NULL},
};
