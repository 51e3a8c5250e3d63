// SPDX-License-Identifier: GPL-2.0-or-later
// v$instance, v$version, v$parameter and v$database.
#include <ctype.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sql/fixed_table.h"

#define VALUE(name)                                                            \
    static void name(sqlite3_context *context,                                 \
                     const struct database *database, int row,                 \
                     const struct fixed_column *column)
#define UNUSED (void)database, (void)row, (void)column

VALUE(one) {
    UNUSED;
    sqlite3_result_int(context, 1);
}

VALUE(instance_name) {
    UNUSED;
    fixed_text(context, database->sga->instance);
}

VALUE(host_name) {
    UNUSED;
    char host[SGA_NAME] = "";
    gethostname(host, sizeof host - 1);
    fixed_text(context, host);
}

VALUE(startup_time) {
    UNUSED;
    fixed_date(context, database->sga->startup_time);
}

VALUE(banner) {
    UNUSED;
    fixed_text(context, "Oracle-like lab database (polltrace oralab)");
}

// Where all rows have one value: the column's type is followed by it.
#define SAYS(name, text)                                                       \
    VALUE(name) {                                                              \
        UNUSED;                                                                \
        fixed_text(context, text);                                             \
    }
SAYS(version, "19.0.0.0.0")
SAYS(version_full, "19.3.0.0.0")
SAYS(open, "OPEN")
SAYS(no, "NO")
SAYS(stopped, "STOPPED")
SAYS(allowed, "ALLOWED")
SAYS(active, "ACTIVE")
SAYS(normal, "NORMAL")
SAYS(primary, "PRIMARY_INSTANCE")
SAYS(regular, "REGULAR")
SAYS(single, "SINGLE")
SAYS(no_archive_log, "NOARCHIVELOG")
SAYS(read_write, "READ WRITE")
SAYS(platform, "Linux x86 64-bit")

static const struct fixed_column instance[] = {
    {"INSTANCE_NUMBER", "NUMBER", one, 0},
    {"INSTANCE_NAME", "VARCHAR2(16)", instance_name, 0},
    {"HOST_NAME", "VARCHAR2(64)", host_name, 0},
    {"VERSION", "VARCHAR2(17)", version, 0},
    {"VERSION_LEGACY", "VARCHAR2(17)", version, 0},
    {"VERSION_FULL", "VARCHAR2(17)", version_full, 0},
    {"STARTUP_TIME", "DATE", startup_time, 0},
    {"STATUS", "VARCHAR2(12)", open, 0},
    {"PARALLEL", "VARCHAR2(3)", no, 0},
    {"THREAD#", "NUMBER", one, 0},
    {"ARCHIVER", "VARCHAR2(7)", stopped, 0},
    {"LOG_SWITCH_WAIT", "VARCHAR2(15)", NULL, 0},
    {"LOGINS", "VARCHAR2(10)", allowed, 0},
    {"SHUTDOWN_PENDING", "VARCHAR2(3)", no, 0},
    {"DATABASE_STATUS", "VARCHAR2(17)", active, 0},
    {"INSTANCE_ROLE", "VARCHAR2(18)", primary, 0},
    {"ACTIVE_STATE", "VARCHAR2(9)", normal, 0},
    {"BLOCKED", "VARCHAR2(3)", no, 0},
    {"CON_ID", "NUMBER", fixed_zero, 0},
    {"INSTANCE_MODE", "VARCHAR2(11)", regular, 0},
    {"EDITION", "VARCHAR2(7)", NULL, 0},
    {"FAMILY", "VARCHAR2(80)", NULL, 0},
    {"DATABASE_TYPE", "VARCHAR2(15)", single, 0},
    {0},
};

static const struct fixed_column version_columns[] = {
    {"BANNER", "VARCHAR2(80)", banner, 0},
    {"BANNER_FULL", "VARCHAR2(160)", banner, 0},
    {"BANNER_LEGACY", "VARCHAR2(80)", banner, 0},
    {"CON_ID", "NUMBER", fixed_zero, 0},
    {0},
};

static const struct fixed_column database_columns[] = {
    {"DBID", "NUMBER", one, 0},
    {"NAME", "VARCHAR2(9)", instance_name, 0},
    {"CREATED", "DATE", startup_time, 0},
    {"LOG_MODE", "VARCHAR2(12)", no_archive_log, 0},
    {"OPEN_MODE", "VARCHAR2(20)", read_write, 0},
    {"PLATFORM_NAME", "VARCHAR2(101)", platform, 0},
    {"DB_UNIQUE_NAME", "VARCHAR2(30)", instance_name, 0},
    {"CDB", "VARCHAR2(3)", no, 0},
    {"CON_ID", "NUMBER", fixed_zero, 0},
    {0},
};

enum parameter_type { BOOLEAN = 1, STRING = 2, INTEGER = 3 };

// Only what holds here. A value of NULL is the instance's name.
static const struct parameter {
    const char *name;
    enum parameter_type type;
    const char *value, *description;
} parameters[] = {
    {"compatible", STRING, "19.0.0", "Database will be compatible with this"},
    {"cpu_count", INTEGER, "", "number of CPUs for this instance"},
    {"db_block_size", INTEGER, "8192", "Size of database block in bytes"},
    {"db_name", STRING, NULL, "database name specified in CREATE DATABASE"},
    {"instance_name", STRING, NULL, "instance name supported by the instance"},
    {"nls_date_format", STRING, "DD-MON-RR", "NLS Oracle date format"},
    {"nls_language", STRING, "AMERICAN", "NLS language name"},
    {"nls_territory", STRING, "AMERICA", "NLS territory name"},
    {"open_cursors", INTEGER, "300", "max # cursors per session"},
    {"processes", INTEGER, "512", "user processes"},
    {"service_names", STRING, NULL, "service names supported by the instance"},
    {"sessions", INTEGER, "512", "user and system sessions"},
    {"statistics_level", STRING, "TYPICAL", "statistics level"},
    {"timed_statistics", BOOLEAN, "TRUE",
     "maintain internal timing statistics"},
};
enum { PARAMETERS = sizeof parameters / sizeof *parameters };

VALUE(parameter_number) {
    UNUSED;
    sqlite3_result_int(context, row + 1);
}

VALUE(parameter_name) {
    UNUSED;
    fixed_text(context, parameters[row].name);
}

VALUE(parameter_type) {
    UNUSED;
    sqlite3_result_int(context, parameters[row].type);
}

VALUE(parameter_value) {
    UNUSED;
    const char *value = parameters[row].value;
    if (!value)
        fixed_text(context, database->sga->instance);
    else if (!*value)
        fixed_text(context, sqlite3_snprintf(16, (char[16]){0}, "%ld",
                                             sysconf(_SC_NPROCESSORS_ONLN)));
    else
        fixed_text(context, value);
}

VALUE(parameter_description) {
    UNUSED;
    fixed_text(context, parameters[row].description);
}

SAYS(is_true, "TRUE")
SAYS(is_false, "FALSE")

static const struct fixed_column parameter_columns[] = {
    {"NUM", "NUMBER", parameter_number, 0},
    {"NAME", "VARCHAR2(80)", parameter_name, 0},
    {"TYPE", "NUMBER", parameter_type, 0},
    {"VALUE", "VARCHAR2(4000)", parameter_value, 0},
    {"DISPLAY_VALUE", "VARCHAR2(4000)", parameter_value, 0},
    {"DEFAULT_VALUE", "VARCHAR2(255)", parameter_value, 0},
    {"ISDEFAULT", "VARCHAR2(9)", is_true, 0},
    {"ISSES_MODIFIABLE", "VARCHAR2(5)", is_false, 0},
    {"ISSYS_MODIFIABLE", "VARCHAR2(9)", is_false, 0},
    {"ISINSTANCE_MODIFIABLE", "VARCHAR2(5)", is_false, 0},
    {"ISMODIFIED", "VARCHAR2(10)", is_false, 0},
    {"ISADJUSTED", "VARCHAR2(5)", is_false, 0},
    {"ISDEPRECATED", "VARCHAR2(5)", is_false, 0},
    {"DESCRIPTION", "VARCHAR2(255)", parameter_description, 0},
    {"UPDATE_COMMENT", "VARCHAR2(255)", NULL, 0},
    {"CON_ID", "NUMBER", fixed_zero, 0},
    {0},
};

const struct fixed_table instance_views[] = {
    {"V$INSTANCE", instance, 1, NULL},
    {"V$VERSION", version_columns, 1, NULL},
    {"V$DATABASE", database_columns, 1, NULL},
    {"V$PARAMETER", parameter_columns, PARAMETERS, NULL},
    {"V$SYSTEM_PARAMETER", parameter_columns, PARAMETERS, NULL},
    {0},
};
