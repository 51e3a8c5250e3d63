// SPDX-License-Identifier: GPL-2.0-or-later
// v$session, v$process, v$instance, v$version.
#define _GNU_SOURCE
#include <sqlite3.h>
#include <stdio.h>
#include <unistd.h>

#include "sql/fixed_table.h"
#include "sql/oracle_date.h"

static const char banner[] = "Oracle-like lab database (polltrace oralab)";

static void text(sqlite3_context *context, const char *value) {
    if (*value)
        sqlite3_result_text(context, value, -1, SQLITE_TRANSIENT);
}

static void date(sqlite3_context *context, int64_t seconds) {
    uint8_t bytes[DATE_BYTES];
    struct oracle_date at = oracle_date_of(seconds, 0);
    oracle_date_write(&at, bytes, sizeof bytes);
    sqlite3_result_blob(context, bytes, sizeof bytes, SQLITE_TRANSIENT);
}

// An address for joins: any value that differs between slots, and between
// processes and sessions.
static void address(sqlite3_context *context, unsigned base, int row) {
    uint8_t bytes[8] = {
        0, 0, 0, 0, (uint8_t)base, (uint8_t)(row >> 8), (uint8_t)row, 0};
    sqlite3_result_blob(context, bytes, sizeof bytes, SQLITE_TRANSIENT);
}

enum { SESSION_ADDRESS = 0x70, PROCESS_ADDRESS = 0x71 };

static bool present(const struct database *database, int row) {
    return database->sga->session[row].pid != 0;
}

static bool logged_on(const struct database *database, int row) {
    const struct session_slot *slot = &database->sga->session[row];
    return slot->pid != 0 && slot->logged_on;
}

static void session(sqlite3_context *context, const struct database *database,
                    int row, int column) {
    const struct session_slot *slot = &database->sga->session[row];
    switch (column) {
    case 0:
        address(context, SESSION_ADDRESS, row);
        break;
    case 1:
    case 3:
        sqlite3_result_int64(context, sga_sid(database->sga, slot));
        break;
    case 2:
        sqlite3_result_int64(context, slot->serial);
        break;
    case 4:
        address(context, PROCESS_ADDRESS, row);
        break;
    case 5:
    case 8:
        text(context, slot->user);
        break;
    case 6:
        text(context, slot->active ? "ACTIVE" : "INACTIVE");
        break;
    case 7:
        text(context, "DEDICATED");
        break;
    case 9:
        text(context, slot->os_user);
        break;
    case 10:
        text(context, slot->client_pid);
        break;
    case 11:
        text(context, slot->machine);
        break;
    case 12:
        text(context, slot->terminal);
        break;
    case 13:
        text(context, slot->program);
        break;
    case 14:
        text(context, "USER");
        break;
    case 15:
        date(context, slot->logon_time);
        break;
    case 16:
        text(context, database->sga->instance);
        break;
    default:
        sqlite3_result_int(context, 0);
    }
}

static void process(sqlite3_context *context, const struct database *database,
                    int row, int column) {
    const struct session_slot *slot = &database->sga->session[row];
    char number[SGA_NAME + 32];
    switch (column) {
    case 0:
        address(context, PROCESS_ADDRESS, row);
        break;
    case 1:
        sqlite3_result_int64(context, row + 1);
        break;
    case 2: // SOSID, SPID and STID are the operating system's number
    case 3:
    case 4:
        snprintf(number, sizeof number, "%d", (int)slot->pid);
        text(context, number);
        break;
    case 5:
        text(context, "oracle");
        break;
    case 6:
        sqlite3_result_int64(context, slot->serial);
        break;
    case 7:
        text(context, slot->terminal);
        break;
    case 8: {
        char host[SGA_NAME] = "";
        gethostname(host, sizeof host - 1);
        snprintf(number, sizeof number, "oracle@%.40s (TNS V1-V3)", host);
        text(context, number);
        break;
    }
    default:
        sqlite3_result_int(context, 0);
    }
}

static void instance(sqlite3_context *context, const struct database *database,
                     int row, int column) {
    (void)row;
    char host[SGA_NAME] = "";
    switch (column) {
    case 0:
        sqlite3_result_int(context, 1);
        break;
    case 1:
        text(context, database->sga->instance);
        break;
    case 2:
        gethostname(host, sizeof host - 1);
        text(context, host);
        break;
    case 3:
        text(context, "19.3.0.0.0");
        break;
    case 4:
        date(context, database->sga->startup_time);
        break;
    default:
        text(context, "OPEN");
    }
}

static void version(sqlite3_context *context, const struct database *database,
                    int row, int column) {
    (void)database, (void)row;
    if (column == 1)
        sqlite3_result_int(context, 0);
    else
        text(context, banner);
}

const struct fixed_table session_tables[] = {
    {"V$SESSION",
     "SADDR RAW(8), SID NUMBER, \"SERIAL#\" NUMBER, AUDSID NUMBER,"
     " PADDR RAW(8), USERNAME VARCHAR2(128), STATUS VARCHAR2(8),"
     " SERVER VARCHAR2(9), SCHEMANAME VARCHAR2(128), OSUSER VARCHAR2(128),"
     " PROCESS VARCHAR2(24), MACHINE VARCHAR2(64), TERMINAL VARCHAR2(30),"
     " PROGRAM VARCHAR2(48), TYPE VARCHAR2(10), LOGON_TIME DATE,"
     " SERVICE_NAME VARCHAR2(64), CON_ID NUMBER",
     SGA_SESSIONS, logged_on, session},
    {"V$PROCESS",
     "ADDR RAW(8), PID NUMBER, SOSID VARCHAR2(24), SPID VARCHAR2(24),"
     " STID VARCHAR2(24), USERNAME VARCHAR2(15), \"SERIAL#\" NUMBER,"
     " TERMINAL VARCHAR2(30), PROGRAM VARCHAR2(48), CON_ID NUMBER",
     SGA_SESSIONS, present, process},
    {"V$INSTANCE",
     "INSTANCE_NUMBER NUMBER, INSTANCE_NAME VARCHAR2(16),"
     " HOST_NAME VARCHAR2(64), VERSION VARCHAR2(17), STARTUP_TIME DATE,"
     " STATUS VARCHAR2(12)",
     1, NULL, instance},
    {"V$VERSION", "BANNER VARCHAR2(80), CON_ID NUMBER", 1, NULL, version},
    {0},
};
