// SPDX-License-Identifier: GPL-2.0-or-later
// Packages about the session: those that name its work, and those that trace
// it. The functions are in sql/functions.
#include "plsql/supplied.h"

static bool nothing(struct plsql_session *p, struct scalar *argument,
                    struct scalar *result, struct ora_error *error) {
    (void)p, (void)argument, (void)result, (void)error;
    return true;
}

#define OPTIONAL(name)                                                         \
    { name, MODE_IN, true }

const struct supplied session_packages[] = {
    {"DBMS_APPLICATION_INFO",
     "SET_MODULE",
     {OPTIONAL("MODULE_NAME"), OPTIONAL("ACTION_NAME")},
     .function = "SET_MODULE$"},
    {"DBMS_APPLICATION_INFO",
     "SET_ACTION",
     {OPTIONAL("ACTION_NAME")},
     .function = "SET_ACTION$"},
    {"DBMS_APPLICATION_INFO",
     "SET_CLIENT_INFO",
     {OPTIONAL("CLIENT_INFO")},
     .function = "SET_CLIENT_INFO$"},
    {"DBMS_SESSION",
     "SET_IDENTIFIER",
     {OPTIONAL("CLIENT_ID")},
     .function = "SET_IDENTIFIER$"},
    {"DBMS_SESSION", "CLEAR_IDENTIFIER", .function = "SET_IDENTIFIER$"},
    {"DBMS_SESSION",
     "SET_SQL_TRACE",
     {OPTIONAL("SQL_TRACE")},
     .function = "SET_SQL_TRACE$"},
    {"DBMS_SESSION",
     "SESSION_TRACE_ENABLE",
     {OPTIONAL("WAITS"), OPTIONAL("BINDS"), OPTIONAL("PLAN_STAT")},
     .function = "OWN_TRACE_ENABLE$"},
    {"DBMS_SESSION", "SESSION_TRACE_DISABLE", .function = "OWN_TRACE_DISABLE$"},
    {"DBMS_MONITOR",
     "SESSION_TRACE_ENABLE",
     {OPTIONAL("SESSION_ID"), OPTIONAL("SERIAL_NUM"), OPTIONAL("WAITS"),
      OPTIONAL("BINDS"), OPTIONAL("PLAN_STAT")},
     .function = "SESSION_TRACE_ENABLE$"},
    {"DBMS_MONITOR",
     "SESSION_TRACE_DISABLE",
     {OPTIONAL("SESSION_ID"), OPTIONAL("SERIAL_NUM")},
     .function = "SESSION_TRACE_DISABLE$"},
    {"DBMS_SYSTEM",
     "SET_SQL_TRACE_IN_SESSION",
     {OPTIONAL("SID"), OPTIONAL("SERIAL#"), OPTIONAL("SQL_TRACE")},
     .function = "SET_SQL_TRACE_IN_SESSION$"},
    // There are no statistics of tables for an optimizer.
    {"DBMS_STATS",
     "GATHER_TABLE_STATS",
     {OPTIONAL("OWNNAME"), OPTIONAL("TABNAME"), OPTIONAL("PARTNAME")},
     .call = nothing},
    {"DBMS_SQL", "RETURN_RESULT", {{"RC", MODE_IN}}, .of_cursor = true},
    {NULL},
};
