// SPDX-License-Identifier: GPL-2.0-or-later
// v$event_name, v$session_event and v$system_event. An event nobody has
// waited for yet is in the first one only.
#include <sqlite3.h>

#include "sql/fixed_table.h"

#define VALUE(name)                                                            \
    static void name(sqlite3_context *context,                                 \
                     const struct database *database, int row,                 \
                     const struct fixed_column *column)
#define UNUSED (void)database, (void)row, (void)column

static const struct wait_event_name *name_of(int row) {
    return &wait_event_names[row % WAIT_EVENTS];
}

VALUE(sid) {
    UNUSED;
    sqlite3_result_int(context, row / WAIT_EVENTS + 1);
}

VALUE(event_number) {
    UNUSED;
    sqlite3_result_int(context, row % WAIT_EVENTS);
}

VALUE(event_id) {
    UNUSED;
    sqlite3_result_int64(context, name_of(row)->id);
}

VALUE(event) {
    UNUSED;
    sqlite3_result_text(context, name_of(row)->name, -1, SQLITE_STATIC);
}

VALUE(parameter) {
    UNUSED;
    fixed_text(context, name_of(row)->parameter[column->offset]);
}

VALUE(class_id) {
    UNUSED;
    sqlite3_result_int64(context, name_of(row)->class->id);
}

VALUE(class_number) {
    UNUSED;
    sqlite3_result_int(context, name_of(row)->class->number);
}

VALUE(class_name) {
    UNUSED;
    sqlite3_result_text(context, name_of(row)->class->name, -1, SQLITE_STATIC);
}

static struct wait_total session_total(const struct database *database,
                                       int row) {
    return database->sga->session[row / WAIT_EVENTS]
        .waits.total[row % WAIT_EVENTS];
}

static struct wait_total system_total(const struct database *database,
                                      int row) {
    const struct sga *sga = database->sga;
    struct wait_total sum = sga->past.waits.total[row];
    for (int i = 0; i < SGA_SESSIONS; i++) {
        const struct wait_total *of = &sga->session[i].waits.total[row];
        if (!session_present(database, i))
            continue;
        sum.waits += of->waits;
        sum.timeouts += of->timeouts;
        sum.us += of->us;
    }
    return sum;
}

static bool session_waited(const struct database *database, int row) {
    return session_present(database, row / WAIT_EVENTS) &&
           session_total(database, row).waits > 0;
}

static bool anybody_waited(const struct database *database, int row) {
    return system_total(database, row).waits > 0;
}

enum figure { WAITS, TIMEOUTS, TIME, AVERAGE, LONGEST, MICROSECONDS };

static void answer(sqlite3_context *context, struct wait_total of,
                   enum figure figure) {
    switch (figure) {
    case WAITS:
        sqlite3_result_int64(context, (sqlite3_int64)of.waits);
        break;
    case TIMEOUTS:
        sqlite3_result_int64(context, (sqlite3_int64)of.timeouts);
        break;
    case TIME: // hundredths of a second, as the next two
        sqlite3_result_int64(context, (sqlite3_int64)(of.us / 10000));
        break;
    case AVERAGE: // to two places
        sqlite3_result_double(
            context, of.waits ? (double)(of.us / of.waits / 100) / 100 : 0);
        break;
    case LONGEST:
        sqlite3_result_int64(context, (sqlite3_int64)(of.longest_us / 10000));
        break;
    case MICROSECONDS:
        sqlite3_result_int64(context, (sqlite3_int64)of.us);
        break;
    }
}

VALUE(in_session) {
    answer(context, session_total(database, row), (enum figure)column->offset);
}

VALUE(in_system) {
    answer(context, system_total(database, row), (enum figure)column->offset);
}

#define CLASS_COLUMNS                                                          \
    {"WAIT_CLASS_ID", "NUMBER", class_id, 0},                                  \
        {"WAIT_CLASS#", "NUMBER", class_number, 0},                            \
        {"WAIT_CLASS", "VARCHAR2(64)", class_name, 0},                         \
        {"CON_ID", "NUMBER", fixed_zero, 0}, {                                 \
        0                                                                      \
    }

static const struct fixed_column event_name[] = {
    {"EVENT#", "NUMBER", event_number, 0},
    {"EVENT_ID", "NUMBER", event_id, 0},
    {"NAME", "VARCHAR2(64)", event, 0},
    {"PARAMETER1", "VARCHAR2(64)", parameter, 0},
    {"PARAMETER2", "VARCHAR2(64)", parameter, 1},
    {"PARAMETER3", "VARCHAR2(64)", parameter, 2},
    {"DISPLAY_NAME", "VARCHAR2(64)", event, 0},
    CLASS_COLUMNS,
};

static const struct fixed_column session_event[] = {
    {"SID", "NUMBER", sid, 0},
    {"EVENT", "VARCHAR2(64)", event, 0},
    {"TOTAL_WAITS", "NUMBER", in_session, WAITS},
    {"TOTAL_TIMEOUTS", "NUMBER", in_session, TIMEOUTS},
    {"TIME_WAITED", "NUMBER", in_session, TIME},
    {"AVERAGE_WAIT", "NUMBER", in_session, AVERAGE},
    {"MAX_WAIT", "NUMBER", in_session, LONGEST},
    {"TIME_WAITED_MICRO", "NUMBER", in_session, MICROSECONDS},
    {"EVENT_ID", "NUMBER", event_id, 0},
    CLASS_COLUMNS,
};

static const struct fixed_column system_event[] = {
    {"EVENT", "VARCHAR2(64)", event, 0},
    {"TOTAL_WAITS", "NUMBER", in_system, WAITS},
    {"TOTAL_TIMEOUTS", "NUMBER", in_system, TIMEOUTS},
    {"TIME_WAITED", "NUMBER", in_system, TIME},
    {"AVERAGE_WAIT", "NUMBER", in_system, AVERAGE},
    {"TIME_WAITED_MICRO", "NUMBER", in_system, MICROSECONDS},
    {"EVENT_ID", "NUMBER", event_id, 0},
    CLASS_COLUMNS,
};

const struct fixed_table wait_views[] = {
    {"V$EVENT_NAME", event_name, WAIT_EVENTS, NULL},
    {"V$SESSION_EVENT", session_event, SGA_SESSIONS *WAIT_EVENTS,
     session_waited},
    {"V$SYSTEM_EVENT", system_event, WAIT_EVENTS, anybody_waited},
    {0},
};
