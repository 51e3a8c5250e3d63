// SPDX-License-Identifier: GPL-2.0-or-later
// v$event_name, v$session_event and v$system_event. The last two show only
// events that somebody has waited for.
#include <sqlite3.h>

#include "sql/views/fixed_table.h"

static const struct wait_event_name *name_of(int row) {
    return &wait_event_names[row % WAIT_EVENTS];
}

static void sid(const struct fixed_cell *cell) {
    fixed_integer(cell, cell->row / WAIT_EVENTS + 1);
}

static void event_number(const struct fixed_cell *cell) {
    fixed_integer(cell, cell->row % WAIT_EVENTS);
}

static void event_id(const struct fixed_cell *cell) {
    const int64_t id = name_of(cell->row)->id;
    if (id != 0)
        fixed_integer(cell, id);
}

static void event(const struct fixed_cell *cell) {
    fixed_text(cell, name_of(cell->row)->name);
}

static void parameter(const struct fixed_cell *cell) {
    fixed_text(cell, name_of(cell->row)->parameter[cell->column->offset]);
}

static void class_id(const struct fixed_cell *cell) {
    fixed_integer(cell, name_of(cell->row)->class->id);
}

static void class_number(const struct fixed_cell *cell) {
    fixed_integer(cell, name_of(cell->row)->class->number);
}

static void class_name(const struct fixed_cell *cell) {
    fixed_text(cell, name_of(cell->row)->class->name);
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
        if (!slot_is_present(database, i))
            continue;
        sum.waits += of->waits;
        sum.timeouts += of->timeouts;
        sum.us += of->us;
    }
    return sum;
}

static bool session_waited(const struct database *database, int row) {
    return slot_is_present(database, row / WAIT_EVENTS) &&
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

static void in_session(const struct fixed_cell *cell) {
    answer(cell->context, session_total(cell->database, cell->row),
           (enum figure)cell->column->offset);
}

static void in_system(const struct fixed_cell *cell) {
    answer(cell->context, system_total(cell->database, cell->row),
           (enum figure)cell->column->offset);
}

#define CLASS_COLUMNS                                                          \
    {"WAIT_CLASS_ID", "NUMBER", class_id},                                     \
        {"WAIT_CLASS#", "NUMBER", class_number},                               \
        {"WAIT_CLASS", "VARCHAR2(64)", class_name},                            \
        {"CON_ID", "NUMBER", fixed_zero}, {                                    \
        0                                                                      \
    }

static const struct fixed_column event_name[] = {
    {"EVENT#", "NUMBER", event_number},
    {"EVENT_ID", "NUMBER", event_id},
    {"NAME", "VARCHAR2(64)", event},
    {"PARAMETER1", "VARCHAR2(64)", parameter},
    {"PARAMETER2", "VARCHAR2(64)", parameter, 1},
    {"PARAMETER3", "VARCHAR2(64)", parameter, 2},
    {"DISPLAY_NAME", "VARCHAR2(64)", event},
    CLASS_COLUMNS,
};

static const struct fixed_column session_event[] = {
    {"SID", "NUMBER", sid},
    {"EVENT", "VARCHAR2(64)", event},
    {"TOTAL_WAITS", "NUMBER", in_session, WAITS},
    {"TOTAL_TIMEOUTS", "NUMBER", in_session, TIMEOUTS},
    {"TIME_WAITED", "NUMBER", in_session, TIME},
    {"AVERAGE_WAIT", "NUMBER", in_session, AVERAGE},
    {"MAX_WAIT", "NUMBER", in_session, LONGEST},
    {"TIME_WAITED_MICRO", "NUMBER", in_session, MICROSECONDS},
    {"EVENT_ID", "NUMBER", event_id},
    CLASS_COLUMNS,
};

static const struct fixed_column system_event[] = {
    {"EVENT", "VARCHAR2(64)", event},
    {"TOTAL_WAITS", "NUMBER", in_system, WAITS},
    {"TOTAL_TIMEOUTS", "NUMBER", in_system, TIMEOUTS},
    {"TIME_WAITED", "NUMBER", in_system, TIME},
    {"AVERAGE_WAIT", "NUMBER", in_system, AVERAGE},
    {"TIME_WAITED_MICRO", "NUMBER", in_system, MICROSECONDS},
    {"EVENT_ID", "NUMBER", event_id},
    CLASS_COLUMNS,
};

const struct fixed_table wait_views[] = {
    {"V$EVENT_NAME", event_name, WAIT_EVENTS},
    {"V$SESSION_EVENT", session_event, SGA_SESSIONS *WAIT_EVENTS,
     session_waited},
    {"V$SYSTEM_EVENT", system_event, WAIT_EVENTS, anybody_waited},
    {0},
};
