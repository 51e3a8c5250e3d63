// SPDX-License-Identifier: GPL-2.0-or-later
// Wait events and the time model of one session, kept in its slot of the
// shared memory: written by its own process, read by all.
#ifndef ORALAB_WAIT_H
#define ORALAB_WAIT_H

#include <stdbool.h>
#include <stdint.h>

enum wait_event {
    WAIT_MESSAGE_FROM_CLIENT,
    WAIT_MESSAGE_TO_CLIENT,
    WAIT_MORE_FROM_CLIENT,
    WAIT_MORE_TO_CLIENT,
    WAIT_BREAK_RESET,
    WAIT_MESSAGE_FROM_DBLINK,
    WAIT_MESSAGE_TO_DBLINK,
    WAIT_MORE_FROM_DBLINK,
    WAIT_MORE_TO_DBLINK,
    WAIT_BREAK_RESET_DBLINK,
    WAIT_SINGLE_TASK, // for a remote database's listener to accept us
    WAIT_ROW_LOCK,
    WAIT_SLEEP, // of PL/SQL
    WAIT_BUFFER_BUSY,
    WAIT_LATCH_FREE,
    WAIT_EVENTS
};

struct wait_class {
    const char *name;
    int64_t id;
    int number;
};

struct wait_event_name {
    const char *name;
    int64_t id; // 0: Oracle's is not known here
    const struct wait_class *class;
    const char *parameter[3];
};

extern const struct wait_event_name wait_event_names[WAIT_EVENTS];
bool wait_is_idle(enum wait_event event);

struct wait_total {
    uint64_t waits;
    uint64_t timeouts;
    uint64_t us;
    uint64_t longest_us;
};

// The first parameter of the SQL*Net events: how the client is connected.
enum wait_driver { DRIVER_TCP = 0x54435000, DRIVER_BEQ = 0x42455100 };

struct wait_clock {
    struct wait_total total[WAIT_EVENTS];
    enum wait_event event; // the current or the last one
    bool waiting;
    uint32_t sequence; // of waits begun
    int64_t began_us;  // the current wait, or the last one
    int64_t slice_us;  // where the part of it begins that is in no total yet
    int64_t ended_us;
    uint64_t last_us; // how long the last one was
    int64_t parameter[3];
    enum wait_driver driver;
};

// Microseconds of a clock that all processes share.
int64_t clock_us(void);

// Each does nothing without a clock.
void wait_begins(struct wait_clock *clock, enum wait_event event, int64_t p2);
// For the latch of that address and number.
void wait_for_latch_begins(struct wait_clock *clock, int64_t address,
                           int64_t number);
// A timed-out part of a wait that goes on: counted as a wait of its own.
void wait_times_out(struct wait_clock *clock);
// The wait is over; it counts as `waits` waits of the same length.
void wait_ends(struct wait_clock *clock, unsigned waits);

struct time_model {
    uint64_t db_us; // of the calls that have ended
    uint64_t cpu_us;
    uint64_t parse_us;
    uint64_t execute_us;
    uint64_t plsql_us;     // without the SQL in it
    int64_t call_began_us; // 0: no call runs
    int64_t call_began_cpu_us;
};

// Processor time of the process `pid`, 0 for ourselves; -1 when it is gone.
int64_t cpu_us(int pid);
void time_model_call_begins(struct time_model *model);
void time_model_call_ends(struct time_model *model);

#endif
