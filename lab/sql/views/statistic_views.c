// SPDX-License-Identifier: GPL-2.0-or-later
// v$statname, v$mystat, v$sesstat, v$sysstat and the time model.
#include <sqlite3.h>

#include "sql/views/fixed_table.h"

// Time in calls, the running one included, in microseconds, and the CPU time in
// them, which never exceeds it.
struct call_time {
    uint64_t db_us, cpu_us;
};

static struct call_time call_time(const struct session_slot *slot,
                                  const struct session_slot *self) {
    const struct time_model *model = &slot->time;
    struct call_time time = {model->db_us, model->cpu_us};
    const int64_t began =
        __atomic_load_n(&model->call_began_us, __ATOMIC_ACQUIRE);
    const int64_t cpu = began ? cpu_us(slot == self ? 0 : slot->pid) : -1;
    if (!began)
        return time;
    const int64_t wall = clock_us() - began;
    const int64_t used = cpu - model->call_began_cpu_us;
    if (wall > 0)
        time.db_us += (uint64_t)wall;
    if (cpu > 0 && used > 0)
        time.cpu_us += (uint64_t)(used < wall ? used : wall);
    return time;
}

static uint64_t not_idle(const struct session_slot *slot, bool time) {
    uint64_t sum = 0;
    for (int i = 0; i < WAIT_EVENTS; i++)
        if (!wait_is_idle((enum wait_event)i))
            sum += time ? slot->waits.total[i].us : slot->waits.total[i].waits;
    return sum;
}

static uint64_t value_of(const struct database *database,
                         const struct session_slot *slot,
                         enum statistic statistic) {
    const uint64_t *stat = slot->stat;
    switch (statistic) {
    case STAT_LOGICAL_READS:
        return stat[STAT_CONSISTENT_GETS] + stat[STAT_DB_BLOCK_GETS];
    case STAT_CPU_USED:
        return call_time(slot, database->self).cpu_us / 10000;
    case STAT_DB_TIME:
        return call_time(slot, database->self).db_us / 10000;
    case STAT_NON_IDLE_WAIT_COUNT:
        return not_idle(slot, false);
    case STAT_NON_IDLE_WAIT_TIME:
        return not_idle(slot, true) / 10000;
    default:
        return stat[statistic];
    }
}

static void number(const struct fixed_cell *cell) {
    fixed_integer(cell, cell->row % STATISTICS);
}

static void name(const struct fixed_cell *cell) {
    fixed_text(cell, statistic_names[cell->row].name);
}

static void class(const struct fixed_cell *cell) {
    fixed_integer(cell, statistic_names[cell->row].class_bits);
}

// Oracle uses a hash of the name; any stable number serves.
static void statistic_id(const struct fixed_cell *cell) {
    fixed_integer(cell, 1000003 * (cell->row + 1));
}

static const struct session_slot *session_of(const struct fixed_cell *cell) {
    return &cell->database->sga->session[cell->row / STATISTICS];
}

static void my_sid(const struct fixed_cell *cell) {
    fixed_integer(cell, sga_sid(cell->database->sga, cell->database->self));
}

static void my_value(const struct fixed_cell *cell) {
    fixed_integer(cell, (int64_t)value_of(cell->database, cell->database->self,
                                          (enum statistic)cell->row));
}

static void its_sid(const struct fixed_cell *cell) {
    fixed_integer(cell, cell->row / STATISTICS + 1);
}

static void its_value(const struct fixed_cell *cell) {
    fixed_integer(cell,
                  (int64_t)value_of(cell->database, session_of(cell),
                                    (enum statistic)(cell->row % STATISTICS)));
}

static bool statistic_present(const struct database *database, int row) {
    return slot_is_present(database, row / STATISTICS);
}

static void sum(const struct fixed_cell *cell) {
    const struct sga *sga = cell->database->sga;
    uint64_t sum =
        value_of(cell->database, &sga->past, (enum statistic)cell->row);
    for (int i = 0; i < SGA_SESSIONS; i++)
        if (slot_is_present(cell->database, i))
            sum += value_of(cell->database, &sga->session[i],
                            (enum statistic)cell->row);
    fixed_integer(cell, (int64_t)sum);
}

// The time model's own names and identifiers.
enum time_statistic {
    DB_TIME,
    DB_CPU,
    SQL_EXECUTE,
    PARSE_TIME,
    PLSQL_TIME,
    TIMES
};

static const struct {
    const char *name;
    int64_t id;
} time_names[TIMES] = {
    [DB_TIME] = {"DB time", 3649082374},
    [DB_CPU] = {"DB CPU", 2748282437},
    [SQL_EXECUTE] = {"sql execute elapsed time", 2821698184},
    [PARSE_TIME] = {"parse time elapsed", 1431595225},
    [PLSQL_TIME] = {"PL/SQL execution elapsed time", 2643905994},
};

static uint64_t time_of(const struct database *database,
                        const struct session_slot *slot, int which) {
    switch (which) {
    case DB_TIME:
        return call_time(slot, database->self).db_us;
    case DB_CPU:
        return call_time(slot, database->self).cpu_us;
    case SQL_EXECUTE:
        return slot->time.execute_us;
    case PLSQL_TIME:
        return slot->time.plsql_us;
    default:
        return slot->time.parse_us;
    }
}

static bool time_present(const struct database *database, int row) {
    return slot_is_present(database, row / TIMES);
}

static void time_sid(const struct fixed_cell *cell) {
    fixed_integer(cell, cell->row / TIMES + 1);
}

static void time_id(const struct fixed_cell *cell) {
    fixed_integer(cell, time_names[cell->row % TIMES].id);
}

static void time_name(const struct fixed_cell *cell) {
    fixed_text(cell, time_names[cell->row % TIMES].name);
}

static void time_value(const struct fixed_cell *cell) {
    fixed_integer(
        cell, (int64_t)time_of(cell->database,
                               &cell->database->sga->session[cell->row / TIMES],
                               cell->row % TIMES));
}

static void time_sum(const struct fixed_cell *cell) {
    const struct sga *sga = cell->database->sga;
    uint64_t sum = time_of(cell->database, &sga->past, cell->row);
    for (int i = 0; i < SGA_SESSIONS; i++)
        if (slot_is_present(cell->database, i))
            sum += time_of(cell->database, &sga->session[i], cell->row);
    fixed_integer(cell, (int64_t)sum);
}

static const struct fixed_column statname[] = {
    {"STATISTIC#", "NUMBER", number},
    {"NAME", "VARCHAR2(64)", name},
    {"CLASS", "NUMBER", class},
    {"STAT_ID", "NUMBER", statistic_id},
    {"DISPLAY_NAME", "VARCHAR2(64)", name},
    {"CON_ID", "NUMBER", fixed_zero},
    {0},
};

static const struct fixed_column mystat[] = {
    {"SID", "NUMBER", my_sid},
    {"STATISTIC#", "NUMBER", number},
    {"VALUE", "NUMBER", my_value},
    {"CON_ID", "NUMBER", fixed_zero},
    {0},
};

static const struct fixed_column sesstat[] = {
    {"SID", "NUMBER", its_sid},
    {"STATISTIC#", "NUMBER", number},
    {"VALUE", "NUMBER", its_value},
    {"CON_ID", "NUMBER", fixed_zero},
    {0},
};

static const struct fixed_column sysstat[] = {
    {"STATISTIC#", "NUMBER", number},
    {"NAME", "VARCHAR2(64)", name},
    {"CLASS", "NUMBER", class},
    {"VALUE", "NUMBER", sum},
    {"STAT_ID", "NUMBER", statistic_id},
    {"CON_ID", "NUMBER", fixed_zero},
    {0},
};

static const struct fixed_column sess_time_model[] = {
    {"SID", "NUMBER", time_sid},
    {"STAT_ID", "NUMBER", time_id},
    {"STAT_NAME", "VARCHAR2(64)", time_name},
    {"VALUE", "NUMBER", time_value},
    {"CON_ID", "NUMBER", fixed_zero},
    {0},
};

static const struct fixed_column sys_time_model[] = {
    {"STAT_ID", "NUMBER", time_id},
    {"STAT_NAME", "VARCHAR2(64)", time_name},
    {"VALUE", "NUMBER", time_sum},
    {"CON_ID", "NUMBER", fixed_zero},
    {0},
};

const struct fixed_table statistic_views[] = {
    {"V$STATNAME", statname, STATISTICS},
    {"V$MYSTAT", mystat, STATISTICS},
    {"V$SESSTAT", sesstat, SGA_SESSIONS *STATISTICS, statistic_present},
    {"V$SYSSTAT", sysstat, STATISTICS},
    {"V$SESS_TIME_MODEL", sess_time_model, SGA_SESSIONS *TIMES, time_present},
    {"V$SYS_TIME_MODEL", sys_time_model, TIMES},
    {0},
};
