// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/sql_trace.h"

#include "process/sga.h"
#include "process/trace_file.h"

static const uint32_t never = SQL_TRACE_OFF;
const uint32_t *sql_trace_level = &never;

static struct session_slot *session;
// When the session switched its trace on, or off, itself.
static int64_t began_us, ended_us;
static uint64_t cursor;

void sql_trace_of(struct session_slot *self) {
    session = self;
    sql_trace_level = &self->sql_trace;
}

void sql_trace_set(struct session_slot *slot, uint32_t level) {
    level &= SQL_TRACE_LEVELS;
    if (slot == session && (slot->sql_trace == SQL_TRACE_OFF || !level))
        *(level ? &began_us : &ended_us) = clock_us();
    __atomic_store_n(&slot->sql_trace, level ? level | SQL_TRACE_ON : 0,
                     __ATOMIC_RELAXED);
}

bool sql_trace_wants_call(int64_t us, bool was_on) {
    return sql_trace_wants(SQL_TRACE_ON) ? was_on || began_us < us
                                         : was_on && ended_us >= us;
}

void sql_trace_cursor(uint64_t number) {
    cursor = number;
}

static struct sql_trace_lob lob_call_now(void) {
    const uint64_t *stat = session->stat;
    return (struct sql_trace_lob){
        .began_us = clock_us(),
        .cpu_us = sql_trace_wants(SQL_TRACE_ON) ? cpu_us(0) : -1,
        .reads = stat[STAT_PHYSICAL_READS],
        .gets = stat[STAT_CONSISTENT_GETS],
        .current_gets = stat[STAT_DB_BLOCK_GETS],
    };
}

struct sql_trace_lob sql_trace_lob_begins(void) {
    sql_trace_cursor(0);
    return session ? lob_call_now() : (struct sql_trace_lob){.cpu_us = -1};
}

void sql_trace_lob_ends(const struct sql_trace_lob *call, const char *name,
                        bool temporary, uint64_t bytes) {
    if (!session || !sql_trace_wants_call(call->began_us, call->cpu_us >= 0))
        return;
    const struct sql_trace_lob end = lob_call_now();
    const int64_t cpu_before_us =
        call->cpu_us >= 0 ? call->cpu_us : session->time.call_began_cpu_us;
    const int64_t cpu_now_us = end.cpu_us >= 0 ? end.cpu_us : cpu_us(0);
    trace_record();
    trace_text("%s: type=%s LOB,bytes=%llu,c=%lld,e=%lld,p=%llu,cr=%llu,"
               "cu=%llu,tim=%lld\n",
               name, temporary ? "TEMPORARY" : "PERSISTENT",
               (unsigned long long)bytes,
               (long long)(cpu_now_us - cpu_before_us),
               (long long)(end.began_us - call->began_us),
               (unsigned long long)(end.reads - call->reads),
               (unsigned long long)(end.gets - call->gets),
               (unsigned long long)(end.current_gets - call->current_gets),
               (long long)end.began_us);
}

static void wait_line(const struct wait_clock *clock, uint64_t us,
                      int64_t end_us) {
    const struct wait_event_name *event = &wait_event_names[clock->event];
    trace_record();
    trace_text("WAIT #%llu: nam='%s' ela= %llu", (unsigned long long)cursor,
               event->name, (unsigned long long)us);
    for (int i = 0; i < 3; i++)
        if (*event->parameter[i])
            trace_text(" %s=%lld", event->parameter[i],
                       (long long)clock->parameter[i]);
        else
            trace_text(" p%d=%lld", i + 1, (long long)clock->parameter[i]);
    trace_text(" obj#=-1 tim=%lld\n", (long long)end_us);
}

void sql_trace_wait(const struct wait_clock *clock, unsigned waits,
                    uint64_t us) {
    int64_t end_us = clock->slice_us - (int64_t)us;
    for (unsigned left = waits; left > 0; left--) {
        const uint64_t share = us / left; // the shares add up to `us`
        end_us += (int64_t)share;
        wait_line(clock, share, end_us);
        us -= share;
    }
}

void sql_trace_transaction_ends(bool rolled_back, bool read_only) {
    if (!sql_trace_wants(SQL_TRACE_ON))
        return;
    trace_record();
    trace_text("XCTEND rlbk=%d, rd_only=%d, tim=%lld\n", rolled_back, read_only,
               (long long)clock_us());
}
