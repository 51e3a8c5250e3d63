// SPDX-License-Identifier: GPL-2.0-or-later
// Break checks of statements that run long without a get.
//
// A get's break check is the rule. A statement that has made no get for
// STEPS_BEFORE_CHECKS steps of its SQLite program, or for US_BEFORE_CHECKS of
// processor time where steps are slow, makes an additional one, and from then
// on one per STEPS_PER_CHECK steps without a get. It counts as a check, and one
// in break_poll_skip of all checks polls; but LONGEST_DEAF_US after the last
// poll of that kind the next one polls in any case.
//
// Reads of v$ views and all statements whose gets are less than that apart make
// none, so their checks are exactly their gets.
#ifndef ORALAB_STATEMENT_STEPS_H
#define ORALAB_STATEMENT_STEPS_H

#include <stdbool.h>
#include <stdint.h>

struct database;

enum {
    STEPS_PER_CHECK = 4000,
    STEPS_BEFORE_CHECKS = 500000,
    US_BEFORE_CHECKS = 200000,
    LONGEST_DEAF_US = 100000,
};

// One session's. `idle`: steps since the last get or the start of the call;
// `idle_since_cpu_us`: the processor time when they began.
struct statement_steps {
    int64_t polled_us; // of clock_us(): the last poll of an additional check
    uint64_t gets_before;
    uint64_t idle;
    unsigned taken; // of a check's steps
    int64_t idle_since_cpu_us;
};

// Makes an additional check: whether the client wants the call stopped.
bool statement_steps_cancelled(struct database *database);
// The interpreter of PL/SQL has done the work of `steps`: false if the client
// wants the call stopped.
bool statement_steps_take(struct database *database, unsigned steps);
// A call begins.
void statement_steps_begin_call(struct database *database);
// Installs the check.
void statement_steps_watch(struct database *database);

#endif
