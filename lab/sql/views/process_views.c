// SPDX-License-Identifier: GPL-2.0-or-later
// v$process.
#include <ctype.h>
#include <sqlite3.h>
#include <stdio.h>
#include <unistd.h>

#include "process/trace_file.h"
#include "sql/views/slot_columns.h"

static void spid(const struct fixed_cell *cell) {
    const struct session_slot *slot = slot_of(cell);
    char number[16];
    snprintf(number, sizeof number, "%d", (int)slot->pid);
    fixed_text(cell, number);
}

static void server_program(const struct fixed_cell *cell) {
    char host[SGA_NAME] = "", name[SGA_NAME + 32];
    gethostname(host, sizeof host - 1);
    snprintf(name, sizeof name, "oracle@%.40s (TNS V1-V3)", host);
    // A background process has its own.
    fixed_text(cell,
               *slot_of(cell)->background ? slot_of(cell)->program : name);
}

static void process_name(const struct fixed_cell *cell) {
    char name[sizeof(slot_of(cell)->background)] = "";
    const char *from = slot_of(cell)->background;
    for (size_t i = 0; from[i]; i++)
        name[i] = (char)toupper((unsigned char)from[i]);
    fixed_text(cell, name);
}

static void trace_file(const struct fixed_cell *cell) {
    const struct session_slot *slot = slot_of(cell);
    const struct sga *sga = cell->database->sga;
    char name[TRACE_PATH];
    trace_file_name(name, sizeof name, sga, slot);
    fixed_text(cell, name);
}

static const struct fixed_column process_columns[] = {
    {"ADDR", "RAW(8)", slot_process},
    {"PID", "NUMBER", slot_sid},
    {"SOSID", "VARCHAR2(24)", spid},
    {"SPID", "VARCHAR2(24)", spid},
    {"STID", "VARCHAR2(24)", spid},
    {"EXECUTION_TYPE", "VARCHAR2(10)", .text = "PROCESS"},
    {"PNAME", "VARCHAR2(5)", process_name},
    {"USERNAME", "VARCHAR2(15)", .text = "oracle"},
    SLOT_U32("SERIAL#", serial),
    SLOT_TEXT("TERMINAL", 30, terminal),
    {"PROGRAM", "VARCHAR2(84)", server_program},
    SLOT_TEXT("TRACEID", 255, trace_identifier),
    {"TRACEFILE", "VARCHAR2(513)", trace_file},
    {"BACKGROUND", "VARCHAR2(1)"},
    {"LATCHWAIT", "VARCHAR2(16)"},
    {"LATCHSPIN", "VARCHAR2(16)"},
    {"PGA_USED_MEM", "NUMBER"},
    {"PGA_ALLOC_MEM", "NUMBER"},
    {"PGA_FREEABLE_MEM", "NUMBER"},
    {"PGA_MAX_MEM", "NUMBER"},
    {"NUMA_DEFAULT", "NUMBER"},
    {"NUMA_CURRENT", "NUMBER"},
    {"CON_ID", "NUMBER", fixed_zero},
    {0},
};

const struct fixed_table process_views[] = {
    {"V$PROCESS", process_columns, SGA_SESSIONS, slot_is_present},
    {0},
};
