// SPDX-License-Identifier: GPL-2.0-or-later
// Sleeping, and reading the clocks. DBMS_STANDARD's RAISE_APPLICATION_ERROR is
// here, too: it is called without its package's name.
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "net/breakcheck.h"
#include "plsql/supplied.h"
#include "sql/execute/statement_steps.h"

enum {
    CANCELLED = 1013,
    SLICE_US = 3000000, // a break check each, as in a wait for a lock
    CENTISECOND_US = 10000,
};

// A signal ends a part of the sleep, and an out-of-band break is a signal.
static bool wait_until(struct plsql_session *p, int64_t end_us) {
    struct wait_clock *clock = &p->database->self->waits;
    struct break_channel *channel = p->database->lio.channel;
    int64_t now_us = clock_us(), check_us = now_us + SLICE_US;
    bool stop = false;
    wait_begins(clock, WAIT_SLEEP, 0);
    while (!stop && now_us < end_us) {
        const int64_t to_us = end_us < check_us ? end_us : check_us;
        const struct timespec duration = {(to_us - now_us) / 1000000,
                                          (to_us - now_us) % 1000000 * 1000};
        nanosleep(&duration, NULL);
        now_us = clock_us();
        if (now_us >= check_us || channel->urgent || channel->client_gone) {
            stop = nioqts(channel);
            check_us = now_us + SLICE_US;
        }
    }
    wait_ends(clock, 1);
    return !stop;
}

static bool sleep_for(struct plsql_session *p, struct scalar *argument,
                      struct scalar *result, struct ora_error *error) {
    enum { LONGEST_S = 3600 * 24 };
    (void)result;
    const double seconds = scalar_double(&argument[0]);
    if (seconds < 0 || seconds > LONGEST_S) {
        ora_error_set(error, 6502, "");
        return false;
    }
    const bool ok = wait_until(p, clock_us() + (int64_t)(seconds * 1e6));
    if (!ok)
        ora_error_set(error, CANCELLED, "");
    return ok;
}

static bool get_time(struct plsql_session *p, struct scalar *argument,
                     struct scalar *result, struct ora_error *error) {
    (void)p, (void)argument, (void)error;
    *result = (struct scalar){.kind = SCALAR_INTEGER,
                              .integer = clock_us() / CENTISECOND_US};
    return true;
}

static bool get_cpu_time(struct plsql_session *p, struct scalar *argument,
                         struct scalar *result, struct ora_error *error) {
    (void)p, (void)argument, (void)error;
    *result = (struct scalar){.kind = SCALAR_INTEGER,
                              .integer = cpu_us(0) / CENTISECOND_US};
    return true;
}

// (number, message [, keeps the errors before]): the numbers are Oracle's.
static bool raise_application_error(struct plsql_session *p,
                                    struct scalar *argument,
                                    struct scalar *result,
                                    struct ora_error *error) {
    enum { FIRST = 20000, LAST = 20999, OUT_OF_RANGE = 21000 };
    char about[24];
    size_t length;
    (void)result;
    const double number = -scalar_double(&argument[0]);
    if (number < FIRST || number > LAST) {
        snprintf(about, sizeof about, "%.0f", -number);
        ora_error_set(error, OUT_OF_RANGE, about);
        return false;
    }
    char *text = scalar_text(p, &argument[1], &length);
    ora_error_set(error, (unsigned)number, "");
    snprintf(error->text, sizeof error->text, "ORA-%05u: %.600s",
             (unsigned)number, text ? text : "");
    sqlite3_free(text);
    return false;
}

const struct supplied time_packages[] = {
    {"DBMS_LOCK", "SLEEP", {{"SECONDS", MODE_IN}}, .call = sleep_for},
    {"DBMS_SESSION", "SLEEP", {{"SECONDS", MODE_IN}}, .call = sleep_for},
    {"DBMS_UTILITY", "GET_TIME", .result = OPERAND_NUMBER, .call = get_time},
    {"DBMS_UTILITY", "GET_CPU_TIME", .result = OPERAND_NUMBER,
     .call = get_cpu_time},
    {"DBMS_STANDARD",
     "RAISE_APPLICATION_ERROR",
     {{"NUM", MODE_IN}, {"MSG", MODE_IN}, {"KEEPERRORSTACK", MODE_IN, true}},
     .call = raise_application_error},
    {NULL},
};
