// SPDX-License-Identifier: GPL-2.0-or-later
// Extended SQL trace (event 10046): whether this process's session is traced,
// and the records that are about no statement. Those of statements are in
// sql/execute/call_trace.h. The level is in the session's slot, where other
// sessions can set it.
#ifndef ORALAB_SQL_TRACE_H
#define ORALAB_SQL_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "process/wait.h"

struct session_slot;

enum sql_trace_level { // bits, as in the event's level
    SQL_TRACE_OFF = 0,
    SQL_TRACE_ON = 1,
    SQL_TRACE_BINDS = 4,
    SQL_TRACE_WAITS = 8,
    SQL_TRACE_EVERY_PLAN = 16, // STAT lines of each execution, not the first
    SQL_TRACE_NO_PLAN = 32,    // no STAT lines
    SQL_TRACE_LEVELS = 1 | 4 | 8 | 16 | 32,
};

#ifdef ORALAB_WITHOUT_SQL_TRACE // `make bench-lab` measures without
enum { SQL_TRACE_IS_BUILT = false };
#else
enum { SQL_TRACE_IS_BUILT = true };
#endif

extern const uint32_t *sql_trace_level;

// Whether the records of that level are to be written.
static inline bool sql_trace_wants(enum sql_trace_level level) {
    return SQL_TRACE_IS_BUILT &&
           __atomic_load_n(sql_trace_level, __ATOMIC_RELAXED) & level;
}

// The session of this process.
void sql_trace_of(struct session_slot *self);
// Any level but 0 includes SQL_TRACE_ON.
void sql_trace_set(struct session_slot *slot, uint32_t level);
// Whether a call that began at `us` of clock_us() is written when it ends. Not
// the one that switched its session's own trace on, but the one that switched
// it off; `was_on` is whether it was on when the call began.
bool sql_trace_wants_call(int64_t us, bool was_on);
// The number that waits carry: of the cursor in use, or 0.
void sql_trace_cursor(uint64_t number);

// A call on a LOB, which is on no cursor: waits in it carry 0.
struct sql_trace_lob {
    int64_t began_us; // of clock_us()
    int64_t cpu_us;   // of the process then; -1: it was not traced then
    uint64_t reads, gets, current_gets;
};

struct sql_trace_lob sql_trace_lob_begins(void);
// It has ended. `name` is that of its record, `bytes` how many it transferred.
void sql_trace_lob_ends(const struct sql_trace_lob *call, const char *name,
                        bool temporary, uint64_t bytes);

// A wait, or `waits` equal ones, that took `us` together and is over now.
void sql_trace_wait(const struct wait_clock *clock, unsigned waits,
                    uint64_t us);
void sql_trace_transaction_ends(bool rolled_back, bool read_only);

#endif
