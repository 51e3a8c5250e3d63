// SPDX-License-Identifier: GPL-2.0-or-later
// v$process.
#include <sqlite3.h>
#include <stdio.h>
#include <unistd.h>

#include "sql/slot_columns.h"

static VALUE(spid) {
    SLOT;
    char number[16];
    snprintf(number, sizeof number, "%d", (int)slot->pid);
    fixed_text(context, number);
}

static VALUE(execution_type) {
    UNUSED;
    fixed_text(context, "PROCESS");
}

static VALUE(os_account) {
    UNUSED;
    fixed_text(context, "oracle");
}

static VALUE(server_program) {
    UNUSED;
    char host[SGA_NAME] = "", name[SGA_NAME + 32];
    gethostname(host, sizeof host - 1);
    snprintf(name, sizeof name, "oracle@%.40s (TNS V1-V3)", host);
    fixed_text(context, name);
}

static const struct fixed_column process_columns[] = {
    {"ADDR", "RAW(8)", slot_process, 0},
    NUMBER("PID", slot_sid),
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

const struct fixed_table process_views[] = {
    {"V$PROCESS", process_columns, SGA_SESSIONS, session_present},
    {0},
};
