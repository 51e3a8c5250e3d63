// SPDX-License-Identifier: GPL-2.0-or-later
// v$statname, v$mystat, v$sesstat, v$sysstat and the time model.
#include <sqlite3.h>

#include "sql/fixed_table.h"

#define VALUE(name)                                                            \
    static void name(sqlite3_context *context,                                 \
                     const struct database *database, int row,                 \
                     const struct fixed_column *column)
#define UNUSED (void)database, (void)row, (void)column

// Microseconds in calls, the one that runs included, and the processor time
// of them. No more of either than there was of the other.
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

VALUE(number) {
    UNUSED;
    sqlite3_result_int(context, row % STATISTICS);
}

VALUE(name) {
    UNUSED;
    sqlite3_result_text(context, statistic_names[row].name, -1, SQLITE_STATIC);
}

VALUE(class) {
    UNUSED;
    sqlite3_result_int(context, statistic_names[row].class_bits);
}

// Oracle's is a hash of the name; any stable number serves.
VALUE(statistic_id) {
    UNUSED;
    sqlite3_result_int(context, 1000003 * (row + 1));
}

static const struct session_slot *slot_of(const struct database *database,
                                          int row) {
    return &database->sga->session[row / STATISTICS];
}

VALUE(my_sid) {
    UNUSED;
    sqlite3_result_int64(context, sga_sid(database->sga, database->self));
}

VALUE(my_value) {
    UNUSED;
    sqlite3_result_int64(
        context,
        (sqlite3_int64)value_of(database, database->self, (enum statistic)row));
}

VALUE(its_sid) {
    UNUSED;
    sqlite3_result_int(context, row / STATISTICS + 1);
}

VALUE(its_value) {
    UNUSED;
    sqlite3_result_int64(
        context, (sqlite3_int64)value_of(database, slot_of(database, row),
                                         (enum statistic)(row % STATISTICS)));
}

static bool statistic_present(const struct database *database, int row) {
    return session_present(database, row / STATISTICS);
}

VALUE(sum) {
    UNUSED;
    const struct sga *sga = database->sga;
    uint64_t sum = value_of(database, &sga->past, (enum statistic)row);
    for (int i = 0; i < SGA_SESSIONS; i++)
        if (session_present(database, i))
            sum += value_of(database, &sga->session[i], (enum statistic)row);
    sqlite3_result_int64(context, (sqlite3_int64)sum);
}

// The time model's own names and identifiers.
enum time_statistic { DB_TIME, DB_CPU, SQL_EXECUTE, PARSE_TIME, TIMES };

static const struct {
    const char *name;
    int64_t id;
} time_names[TIMES] = {
    [DB_TIME] = {"DB time", 3649082374},
    [DB_CPU] = {"DB CPU", 2748282437},
    [SQL_EXECUTE] = {"sql execute elapsed time", 2821698184},
    [PARSE_TIME] = {"parse time elapsed", 1431595225},
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
    default:
        return slot->time.parse_us;
    }
}

static bool time_present(const struct database *database, int row) {
    return session_present(database, row / TIMES);
}

VALUE(time_sid) {
    UNUSED;
    sqlite3_result_int(context, row / TIMES + 1);
}

VALUE(time_id) {
    UNUSED;
    sqlite3_result_int64(context, time_names[row % TIMES].id);
}

VALUE(time_name) {
    UNUSED;
    sqlite3_result_text(context, time_names[row % TIMES].name, -1,
                        SQLITE_STATIC);
}

VALUE(time_value) {
    UNUSED;
    sqlite3_result_int64(
        context,
        (sqlite3_int64)time_of(database, &database->sga->session[row / TIMES],
                               row % TIMES));
}

VALUE(time_sum) {
    UNUSED;
    const struct sga *sga = database->sga;
    uint64_t sum = time_of(database, &sga->past, row);
    for (int i = 0; i < SGA_SESSIONS; i++)
        if (session_present(database, i))
            sum += time_of(database, &sga->session[i], row);
    sqlite3_result_int64(context, (sqlite3_int64)sum);
}

static const struct fixed_column statname[] = {
    {"STATISTIC#", "NUMBER", number, 0},
    {"NAME", "VARCHAR2(64)", name, 0},
    {"CLASS", "NUMBER", class, 0},
    {"STAT_ID", "NUMBER", statistic_id, 0},
    {"DISPLAY_NAME", "VARCHAR2(64)", name, 0},
    {"CON_ID", "NUMBER", fixed_zero, 0},
    {0},
};

static const struct fixed_column mystat[] = {
    {"SID", "NUMBER", my_sid, 0},
    {"STATISTIC#", "NUMBER", number, 0},
    {"VALUE", "NUMBER", my_value, 0},
    {"CON_ID", "NUMBER", fixed_zero, 0},
    {0},
};

static const struct fixed_column sesstat[] = {
    {"SID", "NUMBER", its_sid, 0},
    {"STATISTIC#", "NUMBER", number, 0},
    {"VALUE", "NUMBER", its_value, 0},
    {"CON_ID", "NUMBER", fixed_zero, 0},
    {0},
};

static const struct fixed_column sysstat[] = {
    {"STATISTIC#", "NUMBER", number, 0},
    {"NAME", "VARCHAR2(64)", name, 0},
    {"CLASS", "NUMBER", class, 0},
    {"VALUE", "NUMBER", sum, 0},
    {"STAT_ID", "NUMBER", statistic_id, 0},
    {"CON_ID", "NUMBER", fixed_zero, 0},
    {0},
};

static const struct fixed_column sess_time_model[] = {
    {"SID", "NUMBER", time_sid, 0},
    {"STAT_ID", "NUMBER", time_id, 0},
    {"STAT_NAME", "VARCHAR2(64)", time_name, 0},
    {"VALUE", "NUMBER", time_value, 0},
    {"CON_ID", "NUMBER", fixed_zero, 0},
    {0},
};

static const struct fixed_column sys_time_model[] = {
    {"STAT_ID", "NUMBER", time_id, 0},
    {"STAT_NAME", "VARCHAR2(64)", time_name, 0},
    {"VALUE", "NUMBER", time_sum, 0},
    {"CON_ID", "NUMBER", fixed_zero, 0},
    {0},
};

const struct fixed_table statistic_views[] = {
    {"V$STATNAME", statname, STATISTICS, NULL},
    {"V$MYSTAT", mystat, STATISTICS, NULL},
    {"V$SESSTAT", sesstat, SGA_SESSIONS *STATISTICS, statistic_present},
    {"V$SYSSTAT", sysstat, STATISTICS, NULL},
    {"V$SESS_TIME_MODEL", sess_time_model, SGA_SESSIONS *TIMES, time_present},
    {"V$SYS_TIME_MODEL", sys_time_model, TIMES, NULL},
    {0},
};
