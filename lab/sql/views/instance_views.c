// SPDX-License-Identifier: GPL-2.0-or-later
// v$instance, v$version, v$parameter and v$database.
#include <ctype.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "process/trace_file.h"
#include "sql/views/fixed_table.h"

static void instance_name(const struct fixed_cell *cell) {
    fixed_text(cell, cell->database->sga->instance);
}

static void host_name(const struct fixed_cell *cell) {
    char host[SGA_NAME] = "";
    gethostname(host, sizeof host - 1);
    fixed_text(cell, host);
}

static void startup_time(const struct fixed_cell *cell) {
    fixed_date(cell, cell->database->sga->startup_time);
}

static const struct fixed_column instance[] = {
    {"INSTANCE_NUMBER", "NUMBER", fixed_one},
    {"INSTANCE_NAME", "VARCHAR2(16)", instance_name},
    {"HOST_NAME", "VARCHAR2(64)", host_name},
    {"VERSION", "VARCHAR2(17)", .text = "19.0.0.0.0"},
    {"VERSION_LEGACY", "VARCHAR2(17)", .text = "19.0.0.0.0"},
    {"VERSION_FULL", "VARCHAR2(17)", .text = "19.3.0.0.0"},
    {"STARTUP_TIME", "DATE", startup_time},
    {"STATUS", "VARCHAR2(12)", .text = "OPEN"},
    {"PARALLEL", "VARCHAR2(3)", .text = "NO"},
    {"THREAD#", "NUMBER", fixed_one},
    {"ARCHIVER", "VARCHAR2(7)", .text = "STOPPED"},
    {"LOG_SWITCH_WAIT", "VARCHAR2(15)"},
    {"LOGINS", "VARCHAR2(10)", .text = "ALLOWED"},
    {"SHUTDOWN_PENDING", "VARCHAR2(3)", .text = "NO"},
    {"DATABASE_STATUS", "VARCHAR2(17)", .text = "ACTIVE"},
    {"INSTANCE_ROLE", "VARCHAR2(18)", .text = "PRIMARY_INSTANCE"},
    {"ACTIVE_STATE", "VARCHAR2(9)", .text = "NORMAL"},
    {"BLOCKED", "VARCHAR2(3)", .text = "NO"},
    {"CON_ID", "NUMBER", fixed_zero},
    {"INSTANCE_MODE", "VARCHAR2(11)", .text = "REGULAR"},
    {"EDITION", "VARCHAR2(7)"},
    {"FAMILY", "VARCHAR2(80)"},
    {"DATABASE_TYPE", "VARCHAR2(15)", .text = "SINGLE"},
    {0},
};

static const struct fixed_column version_columns[] = {
    {"BANNER", "VARCHAR2(80)",
     .text = "Oracle-like lab database (polltrace oralab)"},
    {"BANNER_FULL", "VARCHAR2(160)",
     .text = "Oracle-like lab database (polltrace oralab)"},
    {"BANNER_LEGACY", "VARCHAR2(80)",
     .text = "Oracle-like lab database (polltrace oralab)"},
    {"CON_ID", "NUMBER", fixed_zero},
    {0},
};

static const struct fixed_column database_columns[] = {
    {"DBID", "NUMBER", fixed_one},
    {"NAME", "VARCHAR2(9)", instance_name},
    {"CREATED", "DATE", startup_time},
    {"LOG_MODE", "VARCHAR2(12)", .text = "NOARCHIVELOG"},
    {"OPEN_MODE", "VARCHAR2(20)", .text = "READ WRITE"},
    {"PLATFORM_NAME", "VARCHAR2(101)", .text = "Linux x86 64-bit"},
    {"DB_UNIQUE_NAME", "VARCHAR2(30)", instance_name},
    {"CDB", "VARCHAR2(3)", .text = "NO"},
    {"CON_ID", "NUMBER", fixed_zero},
    {0},
};

enum parameter_type { BOOLEAN = 1, STRING = 2, INTEGER = 3, BIG_INTEGER = 6 };

static void number_text(const struct fixed_cell *cell, int64_t number) {
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)number);
    fixed_text(cell, text);
}

static void cpu_count(const struct fixed_cell *cell) {
    number_text(cell, sysconf(_SC_NPROCESSORS_ONLN));
}

static void pga_limit(const struct fixed_cell *cell) {
    number_text(cell, (int64_t)cell->database->sga->pga_limit);
}

static void result_memory(const struct fixed_cell *cell) {
    number_text(cell, (int64_t)cell->database->sga->result_cache.limit *
                          RESULT_BLOCK_BYTES);
}

static void result_share(const struct fixed_cell *cell) {
    number_text(cell, RESULT_SHARE_PERCENT);
}

static void result_mode(const struct fixed_cell *cell) {
    fixed_text(cell, cell->database->cached_results.force ? "FORCE" : "MANUAL");
}

static void dump_file_size(const struct fixed_cell *cell) {
    if (trace_file_limited_to() == TRACE_UNLIMITED)
        fixed_text(cell, "UNLIMITED");
    else
        number_text(cell, trace_file_limited_to() / DUMP_BLOCK);
}

static void sql_trace(const struct fixed_cell *cell) {
    fixed_text(cell, cell->database->self->sql_trace ? "TRUE" : "FALSE");
}

static void statistics_level(const struct fixed_cell *cell) {
    fixed_text(cell, cell->database->gathers ? "ALL" : "TYPICAL");
}

static void trace_identifier(const struct fixed_cell *cell) {
    fixed_text(cell, cell->database->self->trace_identifier);
}

// Parameters that describe this server truthfully. A value of NULL stands for
// the instance's name, "" for one that is computed.
static const struct parameter {
    const char *name;
    enum parameter_type type;
    const char *value, *description;
    void (*computed)(const struct fixed_cell *cell);
} parameters[] = {
    // None is offered: docs/tasks/client-result-cache.md.
    {"client_result_cache_lag", BIG_INTEGER, "3000",
     "client result cache maximum lag in milliseconds"},
    {"client_result_cache_size", BIG_INTEGER, "0",
     "client result cache max size in bytes"},
    {"compatible", STRING, "19.0.0", "Database will be compatible with this"},
    {"cpu_count", INTEGER, "", "number of CPUs for this instance", cpu_count},
    {"db_block_size", INTEGER, "8192", "Size of database block in bytes"},
    {"db_name", STRING, NULL, "database name specified in CREATE DATABASE"},
    {"instance_name", STRING, NULL, "instance name supported by the instance"},
    {"max_dump_file_size", STRING, "", "Maximum size of a trace file",
     dump_file_size},
    {"nls_date_format", STRING, "DD-MON-RR", "NLS Oracle date format"},
    {"nls_language", STRING, "AMERICAN", "NLS language name"},
    {"nls_territory", STRING, "AMERICA", "NLS territory name"},
    {"open_links", INTEGER, "4", "max # open links per session"},
    {"open_cursors", INTEGER, "300", "max # cursors per session"},
    {"pga_aggregate_limit", BIG_INTEGER, "",
     "limit of the private memory of each server", pga_limit},
    {"processes", INTEGER, "512", "user processes"},
    {"result_cache_max_result", INTEGER, "",
     "maximum result size as percent of cache size", result_share},
    {"result_cache_max_size", BIG_INTEGER, "",
     "maximum amount of memory to be used by the cache", result_memory},
    {"result_cache_mode", STRING, "", "result cache operator usage mode",
     result_mode},
    {"service_names", STRING, NULL, "service names supported by the instance"},
    {"sessions", INTEGER, "512", "user and system sessions"},
    {"sql_trace", BOOLEAN, "", "enable SQL trace", sql_trace},
    {"statistics_level", STRING, "", "statistics level", statistics_level},
    {"timed_statistics", BOOLEAN, "TRUE",
     "maintain internal timing statistics"},
    {"tracefile_identifier", STRING, "", "trace file custom identifier",
     trace_identifier},
};
enum { PARAMETERS = sizeof parameters / sizeof *parameters };

static void parameter_number(const struct fixed_cell *cell) {
    fixed_integer(cell, cell->row + 1);
}

static void parameter_name(const struct fixed_cell *cell) {
    fixed_text(cell, parameters[cell->row].name);
}

static void parameter_type(const struct fixed_cell *cell) {
    fixed_integer(cell, parameters[cell->row].type);
}

static void parameter_value(const struct fixed_cell *cell) {
    const struct parameter *parameter = &parameters[cell->row];
    if (!parameter->value)
        fixed_text(cell, cell->database->sga->instance);
    else if (*parameter->value)
        fixed_text(cell, parameter->value);
    else
        parameter->computed(cell);
}

static void parameter_description(const struct fixed_cell *cell) {
    fixed_text(cell, parameters[cell->row].description);
}

static const struct fixed_column parameter_columns[] = {
    {"NUM", "NUMBER", parameter_number},
    {"NAME", "VARCHAR2(80)", parameter_name},
    {"TYPE", "NUMBER", parameter_type},
    {"VALUE", "VARCHAR2(4000)", parameter_value},
    {"DISPLAY_VALUE", "VARCHAR2(4000)", parameter_value},
    {"DEFAULT_VALUE", "VARCHAR2(255)", parameter_value},
    {"ISDEFAULT", "VARCHAR2(9)", .text = "TRUE"},
    {"ISSES_MODIFIABLE", "VARCHAR2(5)", .text = "FALSE"},
    {"ISSYS_MODIFIABLE", "VARCHAR2(9)", .text = "FALSE"},
    {"ISINSTANCE_MODIFIABLE", "VARCHAR2(5)", .text = "FALSE"},
    {"ISMODIFIED", "VARCHAR2(10)", .text = "FALSE"},
    {"ISADJUSTED", "VARCHAR2(5)", .text = "FALSE"},
    {"ISDEPRECATED", "VARCHAR2(5)", .text = "FALSE"},
    {"DESCRIPTION", "VARCHAR2(255)", parameter_description},
    {"UPDATE_COMMENT", "VARCHAR2(255)"},
    {"CON_ID", "NUMBER", fixed_zero},
    {0},
};

const struct fixed_table instance_views[] = {
    {"V$INSTANCE", instance, 1},
    {"V$VERSION", version_columns, 1},
    {"V$DATABASE", database_columns, 1},
    {"V$PARAMETER", parameter_columns, PARAMETERS},
    {"V$SYSTEM_PARAMETER", parameter_columns, PARAMETERS},
    {0},
};
