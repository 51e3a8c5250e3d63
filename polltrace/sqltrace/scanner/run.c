// SPDX-License-Identifier: GPL-2.0-or-later
#include "run.h"

#include "clock.h"

// How many of the run's records end more than CLOCK_STEP before one that was
// ahead of them. It is read once more, each line as a record.
static int64_t steps_by_record(struct scan *scan, const struct block *block,
                               const struct record *of) {
    struct block reread = {0};
    const struct mode begins = {.place = AT_RECORDS};
    block_read(&reread, block->data + of->start, of->len, begins, 0);
    scan->out_of_memory |= reread.out_of_memory;
    int64_t steps = 0, last = scan->sessions.now->last;
    for (size_t i = 0; i < reread.count; i++) {
        const struct record *const record = &reread.record[i];
        if (record->kind < PARSE_CALL || record->kind > LAST_CALL)
            continue;
        const int64_t end = record->field[FIELD_TIM];
        steps += end < last - CLOCK_STEP;
        last = end > last ? end : last;
    }
    block_free(&reread);
    return steps;
}

void count_run(struct scan *scan, const struct block *block,
               const struct record *record) {
    const struct run *const run = &record->run;
    struct session *const session = scan->sessions.now;
    const int64_t least = session->last - CLOCK_STEP;
    scan->summary.calls += run->calls;
    scan->summary.waits += run->waits;
    scan->raw_tim = run->last_tim;
    if (run->end < least)
        session->clock_steps += (int64_t)run->calls + run->waits;
    else if (run->least_end < least)
        session->clock_steps += steps_by_record(scan, block, record);
    session->records += (int64_t)run->calls + run->waits;
    if (run->begin < session->first)
        session->first = run->begin;
    if (run->end > session->last)
        session->last = run->end;
}
