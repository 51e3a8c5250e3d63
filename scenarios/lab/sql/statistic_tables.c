// SPDX-License-Identifier: GPL-2.0-or-later
// v$statname, v$mystat, v$sesstat, v$sysstat.
#include <sqlite3.h>
#include <time.h>

#include "sql/fixed_table.h"

static uint64_t value_of(const struct database *database,
                         const struct session_slot *slot,
                         enum statistic statistic) {
    const uint64_t *stat = slot->stat;
    if (statistic == STAT_LOGICAL_READS)
        return stat[STAT_CONSISTENT_GETS] + stat[STAT_DB_BLOCK_GETS];
    if (statistic == STAT_CPU_USED && slot == database->self) {
        struct timespec cpu; // the other sessions' is of their last call
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
        return (uint64_t)cpu.tv_sec * 100 + (uint64_t)cpu.tv_nsec / 10000000;
    }
    return stat[statistic];
}

static void statname(sqlite3_context *context, const struct database *database,
                     int row, int column) {
    (void)database;
    const struct statistic_name *name = &statistic_names[row];
    switch (column) {
    case 0:
        sqlite3_result_int(context, row);
        break;
    case 1:
    case 4:
        sqlite3_result_text(context, name->name, -1, SQLITE_STATIC);
        break;
    case 2:
        sqlite3_result_int(context, name->class_bits);
        break;
    case 3: // Oracle's is a hash of the name; any stable number serves
        sqlite3_result_int(context, 1000003 * (row + 1));
        break;
    default:
        sqlite3_result_int(context, 0);
    }
}

static void mystat(sqlite3_context *context, const struct database *database,
                   int row, int column) {
    if (column == 0)
        sqlite3_result_int64(context, sga_sid(database->sga, database->self));
    else if (column == 1)
        sqlite3_result_int(context, row);
    else if (column == 2)
        sqlite3_result_int64(context,
                             (sqlite3_int64)value_of(database, database->self,
                                                     (enum statistic)row));
    else
        sqlite3_result_int(context, 0);
}

static bool session_present(const struct database *database, int row) {
    return database->sga->session[row / STATISTICS].pid != 0;
}

static void sesstat(sqlite3_context *context, const struct database *database,
                    int row, int column) {
    const struct session_slot *slot = &database->sga->session[row / STATISTICS];
    if (column == 0)
        sqlite3_result_int64(context, sga_sid(database->sga, slot));
    else if (column == 1)
        sqlite3_result_int(context, row % STATISTICS);
    else if (column == 2)
        sqlite3_result_int64(
            context, (sqlite3_int64)value_of(
                         database, slot, (enum statistic)(row % STATISTICS)));
    else
        sqlite3_result_int(context, 0);
}

static void sysstat(sqlite3_context *context, const struct database *database,
                    int row, int column) {
    if (column != 3) {
        // STATISTIC#, NAME, CLASS, VALUE, STAT_ID, CON_ID
        statname(context, database, row, column < 3 ? column : column - 1);
        if (column == 5)
            sqlite3_result_int(context, 0);
        return;
    }
    const struct sga *sga = database->sga;
    uint64_t sum = sga->past[row];
    if (row == STAT_LOGICAL_READS)
        sum = sga->past[STAT_CONSISTENT_GETS] + sga->past[STAT_DB_BLOCK_GETS];
    for (int i = 0; i < SGA_SESSIONS; i++)
        if (sga->session[i].pid != 0)
            sum += value_of(database, &sga->session[i], (enum statistic)row);
    sqlite3_result_int64(context, (sqlite3_int64)sum);
}

const struct fixed_table statistic_tables[] = {
    {"V$STATNAME",
     "\"STATISTIC#\" NUMBER, NAME VARCHAR2(64), CLASS NUMBER, STAT_ID NUMBER,"
     " DISPLAY_NAME VARCHAR2(64), CON_ID NUMBER",
     STATISTICS, NULL, statname},
    {"V$MYSTAT",
     "SID NUMBER, \"STATISTIC#\" NUMBER, VALUE NUMBER, CON_ID NUMBER",
     STATISTICS, NULL, mystat},
    {"V$SESSTAT",
     "SID NUMBER, \"STATISTIC#\" NUMBER, VALUE NUMBER, CON_ID NUMBER",
     SGA_SESSIONS *STATISTICS, session_present, sesstat},
    {"V$SYSSTAT",
     "\"STATISTIC#\" NUMBER, NAME VARCHAR2(64), CLASS NUMBER, VALUE NUMBER,"
     " STAT_ID NUMBER, CON_ID NUMBER",
     STATISTICS, NULL, sysstat},
    {0},
};
