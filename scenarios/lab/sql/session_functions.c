// SPDX-License-Identifier: GPL-2.0-or-later
// Functions that read or set the session's attributes: USER, SYS_CONTEXT and
// the arguments of DBMS_APPLICATION_INFO.
#include <sqlite3.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "sql/database.h"
#include "sql/functions.h"

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

bool session_functions_register(struct database *database) {
    const struct {
        const char *name;
        int arguments;
        void (*call)(sqlite3_context *, int, sqlite3_value **);
    } all[] = {
        {"SYS_CONTEXT", 2, sys_context},
        {"USER$", 0, user},
        {"SET_MODULE$", 2, set_module},
        {"SET_ACTION$", 1, set_action},
        {"SET_CLIENT_INFO$", 1, set_client_info},
        {"SET_IDENTIFIER$", -1, set_identifier},
        {"NOTHING$", -1, nothing},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        functions_note_varying(all[i].name);
        if (sqlite3_create_function(database->db, all[i].name, all[i].arguments,
                                    SQLITE_UTF8, database, all[i].call, NULL,
                                    NULL) != SQLITE_OK)
            return false;
    }
    return true;
}
