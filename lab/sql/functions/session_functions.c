// SPDX-License-Identifier: GPL-2.0-or-later
// Functions that read or set the session's attributes: USER, SYS_CONTEXT and
// the arguments of DBMS_APPLICATION_INFO.
#include <sqlite3.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "sql/execute/database.h"
#include "sql/functions/function.h"

static void sys_context(sqlite3_context *context, int n,
                        sqlite3_value **value) {
    (void)n;
    const struct database *database = sqlite3_user_data(context);
    const char *space = (const char *)sqlite3_value_text(value[0]);
    const char *name = (const char *)sqlite3_value_text(value[1]);
    if (!space || !name || strcasecmp(space, "userenv") != 0)
        return;
    const struct session_slot *self = database->self;
    char sid[16];
    snprintf(sid, sizeof sid, "%u", sga_sid(database->sga, self));
    const struct {
        const char *name, *value;
    } known[] = {
        {"sid", sid},
        {"sessionid", sid},
        {"session_user", self->user},
        {"current_user", self->user},
        {"current_schema", self->user},
        {"host", self->machine},
        {"os_user", self->os_user},
        {"terminal", self->terminal},
        {"module", self->module},
        {"action", self->action},
        {"client_info", self->client_info},
        {"client_identifier", self->client_identifier},
        {"instance", "1"},
        {"instance_name", database->sga->instance},
        {"db_name", database->sga->instance},
        {"service_name", database->sga->instance},
        {"network_protocol", self->bridge ? "beq" : "tcp"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcasecmp(name, known[i].name) == 0) {
            if (*known[i].value)
                sqlite3_result_text(context, known[i].value, -1,
                                    SQLITE_TRANSIENT);
            return;
        }
    sqlite3_result_error(context, "ORA-02003: invalid USERENV parameter", -1);
}

// The values that SYS_CONTEXT replaces. Some of the values are numbers.
static void userenv(sqlite3_context *context, int n, sqlite3_value **value) {
    const struct database *database = sqlite3_user_data(context);
    const struct session_slot *self = database->self;
    const char *name = (const char *)sqlite3_value_text(value[0]);
    const struct {
        const char *name, *value;
    } texts[] = {
        {"isdba", "FALSE"},
        {"lang", "US"},
        {"language", "AMERICAN_AMERICA.AL32UTF8"},
        {"terminal", self->terminal},
        {"client_info", self->client_info},
    };
    (void)n;
    for (size_t i = 0; name && i < sizeof texts / sizeof *texts; i++)
        if (strcasecmp(name, texts[i].name) == 0) {
            if (*texts[i].value)
                sqlite3_result_text(context, texts[i].value, -1,
                                    SQLITE_TRANSIENT);
            return;
        }
    if (name &&
        (strcasecmp(name, "sid") == 0 || strcasecmp(name, "sessionid") == 0))
        sqlite3_result_int64(context, sga_sid(database->sga, self));
    else if (name && strcasecmp(name, "instance") == 0)
        sqlite3_result_int(context, 1);
    else if (name)
        sqlite3_result_error(context, "ORA-02003: invalid USERENV parameter",
                             -1);
}

static void user(sqlite3_context *context, int n, sqlite3_value **value) {
    (void)n, (void)value;
    const struct database *database = sqlite3_user_data(context);
    sqlite3_result_text(context, database->self->user, -1, SQLITE_TRANSIENT);
}

static void keep(char to[SGA_NAME], sqlite3_value *value) {
    const char *text = (const char *)sqlite3_value_text(value);
    snprintf(to, SGA_NAME, "%s", text ? text : "");
}

static struct session_slot *self_of(sqlite3_context *context) {
    return ((struct database *)sqlite3_user_data(context))->self;
}

static void set_module(sqlite3_context *context, int n, sqlite3_value **value) {
    (void)n;
    keep(self_of(context)->module, value[0]);
    keep(self_of(context)->action, value[1]);
}

static void set_action(sqlite3_context *context, int n, sqlite3_value **value) {
    (void)n;
    keep(self_of(context)->action, value[0]);
}

static void set_client_info(sqlite3_context *context, int n,
                            sqlite3_value **value) {
    (void)n;
    keep(self_of(context)->client_info, value[0]);
}

static void set_identifier(sqlite3_context *context, int n,
                           sqlite3_value **value) {
    if (n > 0)
        keep(self_of(context)->client_identifier, value[0]);
    else
        self_of(context)->client_identifier[0] = '\0';
}

static void nothing(sqlite3_context *context, int n, sqlite3_value **value) {
    (void)context, (void)n, (void)value;
}

// A function of PL/SQL.
static void stored(sqlite3_context *context, int n, sqlite3_value **value) {
    struct database *database = sqlite3_user_data(context);
    database->plsql_calls->call_function(context, database, n, value);
}

const struct function session_functions[] = {
    {"SYS_CONTEXT", 2, 2, OPERAND_TEXT, FUNCTION_PLAIN, sys_context,
     .of_session = true},
    {"USERENV", 1, 1, OPERAND_UNKNOWN, FUNCTION_PLAIN, userenv,
     .of_session = true},
    {"USER", 0, 0, OPERAND_TEXT, FUNCTION_BARE, user, .of_session = true},
    {"SET_MODULE$", 2, 2, OPERAND_UNKNOWN, FUNCTION_INTERNAL, set_module,
     .of_session = true},
    {"SET_ACTION$", 1, 1, OPERAND_UNKNOWN, FUNCTION_INTERNAL, set_action,
     .of_session = true},
    {"SET_CLIENT_INFO$", 1, 1, OPERAND_UNKNOWN, FUNCTION_INTERNAL,
     set_client_info, .of_session = true},
    {"SET_IDENTIFIER$", ANY_NUMBER, ANY_NUMBER, OPERAND_UNKNOWN,
     FUNCTION_INTERNAL, set_identifier, .of_session = true},
    {"NOTHING$", ANY_NUMBER, ANY_NUMBER, OPERAND_UNKNOWN, FUNCTION_INTERNAL,
     nothing, .of_session = true},
    {"PLSQL$", ANY_NUMBER, ANY_NUMBER, OPERAND_UNKNOWN, FUNCTION_INTERNAL,
     stored, .of_session = true},
    {NULL},
};
