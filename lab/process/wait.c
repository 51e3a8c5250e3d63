// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/wait.h"

#include <time.h>
#include <unistd.h>

#include "process/sql_trace.h"

static const struct wait_class idle = {"Idle", 2723168908, 6};
static const struct wait_class network = {"Network", 2000153315, 7};
static const struct wait_class application = {"Application", 4217450380, 1};
static const struct wait_class class_other = {"Other", 1893977003, 0};
static const struct wait_class concurrency = {"Concurrency", 3875070507, 4};

// Names, identifiers and parameters as in Oracle's own v$event_name, and the
// classes.
const struct wait_event_name wait_event_names[WAIT_EVENTS] = {
    [WAIT_MESSAGE_FROM_CLIENT] = {"SQL*Net message from client",
                                  1421975091,
                                  &idle,
                                  {"driver id", "#bytes", ""}},
    [WAIT_MESSAGE_TO_CLIENT] = {"SQL*Net message to client",
                                2067390145,
                                &network,
                                {"driver id", "#bytes", ""}},
    [WAIT_MORE_FROM_CLIENT] = {"SQL*Net more data from client",
                               3530226808,
                               &network,
                               {"driver id", "#bytes", ""}},
    [WAIT_MORE_TO_CLIENT] = {"SQL*Net more data to client",
                             554161347,
                             &network,
                             {"driver id", "#bytes", ""}},
    [WAIT_BREAK_RESET] = {"SQL*Net break/reset to client",
                          1963888671,
                          &application,
                          {"driver id", "break?", ""}},
    [WAIT_MESSAGE_FROM_DBLINK] = {"SQL*Net message from dblink",
                                  0,
                                  &network,
                                  {"driver id", "#bytes", ""}},
    [WAIT_MESSAGE_TO_DBLINK] = {"SQL*Net message to dblink",
                                0,
                                &network,
                                {"driver id", "#bytes", ""}},
    [WAIT_MORE_FROM_DBLINK] = {"SQL*Net more data from dblink",
                               0,
                               &network,
                               {"driver id", "#bytes", ""}},
    [WAIT_MORE_TO_DBLINK] = {"SQL*Net more data to dblink",
                             0,
                             &network,
                             {"driver id", "#bytes", ""}},
    [WAIT_BREAK_RESET_DBLINK] = {"SQL*Net break/reset to dblink",
                                 0,
                                 &application,
                                 {"driver id", "break?", ""}},
    [WAIT_SINGLE_TASK] = {"single-task message", 0, &idle, {"", "", ""}},
    [WAIT_ROW_LOCK] = {"enq: TX - row lock contention",
                       310662678,
                       &application,
                       {"name|mode", "usn<<16 | slot", "sequence"}},
    [WAIT_SLEEP] = {"PL/SQL lock timer", 0, &idle, {"duration", "", ""}},
    [WAIT_BUFFER_BUSY] = {"buffer busy waits",
                          2161531084,
                          &concurrency,
                          {"file#", "block#", "class#"}},
    [WAIT_LATCH_FREE] = {"latch free",
                         3474287957,
                         &class_other,
                         {"address", "number", "tries"}},
};

bool wait_is_idle(enum wait_event event) {
    return wait_event_names[event].class == &idle;
}

int64_t clock_us(void) {
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

static bool wait_is_of_link(enum wait_event event) {
    return event >= WAIT_MESSAGE_FROM_DBLINK &&
           event <= WAIT_BREAK_RESET_DBLINK;
}

static void begin(struct wait_clock *clock, enum wait_event event, int64_t p1,
                  int64_t p2) {
    clock->parameter[0] = p1;
    clock->parameter[1] = p2;
    clock->parameter[2] = 0;
    clock->event = event;
    clock->sequence++;
    clock->began_us = clock->slice_us = clock_us();
    __atomic_store_n(&clock->waiting, true, __ATOMIC_RELEASE);
}

void wait_begins(struct wait_clock *clock, enum wait_event event, int64_t p2) {
    if (!clock)
        return;
    // "TX" and mode 6, exclusive; else the driver.
    begin(clock, event,
          event == WAIT_ROW_LOCK      ? 0x54580006
          : event == WAIT_BUFFER_BUSY ? 1
          : event == WAIT_SINGLE_TASK ? 0
          : event == WAIT_SLEEP       ? p2
          : wait_is_of_link(event)    ? DRIVER_TCP
                                      : clock->driver,
          p2);
}

void wait_for_latch_begins(struct wait_clock *clock, int64_t address,
                           int64_t number) {
    if (clock)
        begin(clock, WAIT_LATCH_FREE, address, number);
}

static void add(struct wait_clock *clock, unsigned waits) {
    const int64_t now_us = clock_us();
    struct wait_total *total = &clock->total[clock->event];
    const uint64_t us = (uint64_t)(now_us - clock->slice_us);
    total->waits += waits;
    total->us += us;
    if (waits > 0 && us / waits > total->longest_us)
        total->longest_us = us / waits;
    clock->slice_us = now_us;
    if (sql_trace_wants(SQL_TRACE_WAITS))
        sql_trace_wait(clock, waits, us);
}

void wait_times_out(struct wait_clock *clock) {
    if (!clock || !clock->waiting)
        return;
    add(clock, 1);
    clock->total[clock->event].timeouts++;
}

void wait_ends(struct wait_clock *clock, unsigned waits) {
    if (!clock || !clock->waiting)
        return;
    add(clock, waits);
    clock->ended_us = clock->slice_us;
    clock->last_us = (uint64_t)(clock->ended_us - clock->began_us);
    __atomic_store_n(&clock->waiting, false, __ATOMIC_RELEASE);
}

int64_t cpu_us(int pid) {
    clockid_t clock = CLOCK_PROCESS_CPUTIME_ID;
    struct timespec ts;
    if ((pid && clock_getcpuclockid(pid, &clock)) || clock_gettime(clock, &ts))
        return -1;
    return ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

void time_model_call_begins(struct time_model *model) {
    model->call_began_cpu_us = cpu_us(0);
    __atomic_store_n(&model->call_began_us, clock_us(), __ATOMIC_RELEASE);
}

void time_model_call_ends(struct time_model *model) {
    const uint64_t cpu = (uint64_t)(cpu_us(0) - model->call_began_cpu_us);
    const uint64_t wall = (uint64_t)(clock_us() - model->call_began_us);
    // The two clocks are not read at once: the CPU time of a busy call may
    // exceed its elapsed time.
    model->cpu_us += cpu < wall ? cpu : wall;
    model->db_us += wall;
    __atomic_store_n(&model->call_began_us, 0, __ATOMIC_RELEASE);
}
