// SPDX-License-Identifier: GPL-2.0-or-later
// The row that a record becomes.
#include "rows.h"

#include <string.h>

#include "clock.h"

// Columns of a call together with the calls in it; without these columns,
// containment need not be found out.
static const uint64_t OF_RECURSION =
    1ull << COLUMN_xc_us | 1ull << COLUMN_xe_us | 1ull << COLUMN_wait_us |
    1ull << COLUMN_uaf_us | 1ull << COLUMN_first_line;

enum row_kind row_kind(const struct record *record) {
    if (record->kind == WAIT_CALL)
        return WAIT_ROW;
    if (record->kind >= PARSE_CALL && record->kind <= LAST_CALL)
        return CALL_ROW;
    return record->kind == STAT_RECORD ? PLAN_ROW : LINE_ROW;
}

static int64_t value_of(const struct record *record, enum field field) {
    return record->has >> field & 1 ? record->field[field] : 0;
}

static void contain_wait(struct scan *scan, const struct record *record,
                         int64_t line) {
    struct span *const to = containment_push(&scan->sessions.now->containment);
    if (!to) {
        scan->out_of_memory = true;
        return;
    }
    const int64_t ela = value_of(record, FIELD_ELA);
    to->end = value_of(record, FIELD_TIM);
    to->begin = to->end - ela;
    to->c = 0;
    to->e = to->waits = ela;
    to->line = line;
    to->dep = -1;
}

// A call after the calls in it.
static struct contained contain_call(struct scan *scan,
                                     const struct record *record, int64_t depth,
                                     int64_t line) {
    struct containment *in = &scan->sessions.now->containment;
    const int64_t end = value_of(record, FIELD_TIM);
    const struct span span = {.begin = end - value_of(record, FIELD_E),
                              .end = end,
                              .c = value_of(record, FIELD_C),
                              .e = value_of(record, FIELD_E),
                              .line = line,
                              .dep = (int32_t)(depth & INT32_MAX)};
    struct contained contained;
    scan->out_of_memory |= !containment_add_call(in, &span, &contained);
    return contained;
}

// A wait whose end is not known is after the last record that has a time, and
// no call is known to contain it.
static void pass_untimed_wait(struct scan *scan, const struct record *record) {
    struct session *const session = scan->sessions.now;
    scan->summary.untimed_waits++;
    session->has_untimed_waits = true;
    if (session->untimed_since != session->last) {
        session->untimed_since = session->last;
        session->untimed_us = 0;
    }
    const int64_t us = session->untimed_us + value_of(record, FIELD_ELA);
    session->untimed_us = us < LARGEST ? us : LARGEST;
}

static inline void account_wait(struct scan *scan, const struct record *record,
                                int64_t line) {
    scan->summary.waits++;
    if (record->has >> FIELD_TIM & 1)
        contain_wait(scan, record, line);
    else
        pass_untimed_wait(scan, record);
}

// Add a call to the sums, and find the calls in it.
static inline struct contained account_call(struct scan *scan,
                                            const struct record *record,
                                            int64_t depth, int64_t line) {
    struct summary *sums = &scan->summary;
    sums->calls++;
    if (sums->least_depth < 0 || depth < sums->least_depth)
        sums->least_depth = depth;
    return record->has >> FIELD_TIM & 1
               ? contain_call(scan, record, depth, line)
               : (struct contained){0};
}

static void put_contained(struct batch *batch, const struct session *session,
                          const struct record *record,
                          const struct contained *in, int64_t line) {
    if (!(batch->wanted & OF_RECURSION) || !(record->has >> FIELD_TIM & 1))
        return;
    batch_put(batch, COLUMN_first_line, in->line ? in->line : line);
    if (record->kind == WAIT_CALL)
        return;
    const int64_t c = value_of(record, FIELD_C), e = value_of(record, FIELD_E);
    batch_put(batch, COLUMN_xc_us, c > in->c ? c - in->c : 0);
    batch_put(batch, COLUMN_xe_us, e > in->e ? e - in->e : 0);
    if (session->has_untimed_waits)
        return;
    batch_put(batch, COLUMN_wait_us, in->waits);
    batch_put(batch, COLUMN_uaf_us, e - c - in->waits);
}

static void put_statement(struct batch *batch, struct statement *statement) {
    batch_put_index(batch, COLUMN_statement, batch_statement(batch, statement));
    if (!statement->known)
        return;
    batch_put(batch, COLUMN_hv, statement->hv);
    batch_put(batch, COLUMN_oct, statement->oct);
    batch_put(batch, COLUMN_uid, statement->uid);
    batch_put(batch, COLUMN_lid, statement->lid);
}

static void put_session(struct batch *batch, const struct session *session,
                        const struct record *record) {
    struct identity *is = session->identity;
    if (batch_wants(batch, COLUMN_identity))
        batch_put_index(batch, COLUMN_identity, batch_identity(batch, is));
    if (is->sid) {
        batch_put(batch, COLUMN_sid, is->sid);
        batch_put(batch, COLUMN_serial, is->serial);
    }
    if (is->pid)
        batch_put(batch, COLUMN_pid, is->pid);
    batch_put(batch, COLUMN_experience_id, session->experience);
    if (session->has_offset && record->has >> FIELD_TIM & 1)
        batch_put(batch, COLUMN_time,
                  session->offset + record->field[FIELD_TIM]);
}

// Every column that the line itself fills.
static void put_fields(struct batch *batch, const struct record *record) {
    for (size_t i = 0; i < batch->fields; i++)
        if (record->has >> batch->field[i].field & 1)
            batch_put(batch, batch->field[i].column,
                      record->field[batch->field[i].field]);
}

// The wait before was think time, or this is the first record.
static void count_experience(struct scan *scan, const struct record *record,
                             int64_t line) {
    struct session *session = scan->sessions.now;
    if (!session->experience || session->experience_ended)
        session->experience = line;
    session->experience_ended =
        record->kind == WAIT_CALL && record->name == scan->from_client &&
        value_of(record, FIELD_ELA) >= scan->options.think_us;
}

// Take facts about its cursor from a call, and the other way round. Returns the
// depth.
static int64_t put_cursor(struct scan *scan, struct batch *batch,
                          const struct record *record, int64_t line) {
    int64_t depth = value_of(record, FIELD_DEP);
    struct cursor *cursor =
        cursors_find(&scan->sessions.now->cursors, record->cursor);
    if (!cursor) {
        scan->out_of_memory = true;
        return depth;
    }
    if (record->kind == PARSE_CALL)
        cursor->parse_id = line;
    if (record->kind == EXEC_CALL)
        cursor->exec_id = line;
    if (record->kind == WAIT_CALL && cursor->statement->known)
        depth = cursor->statement->dep;
    put_statement(batch, cursor->statement);
    if (cursor->parse_id)
        batch_put(batch, COLUMN_parse_id, cursor->parse_id);
    if (cursor->exec_id)
        batch_put(batch, COLUMN_exec_id, cursor->exec_id);
    if (batch->bind_begin && record->kind == EXEC_CALL) {
        struct binds *binds = cursor_take_binds(cursor);
        batch_put_binds(batch, binds);
        binds_free(binds);
    }
    return depth;
}

static void put_call(struct scan *scan, struct batch *batch,
                     const struct record *record, int64_t line) {
    const bool wait = record->kind == WAIT_CALL;
    count_experience(scan, record, line);
    const int64_t depth = put_cursor(scan, batch, record, line);
    batch_put(batch, COLUMN_cursor, record->cursor);
    batch_put(batch, COLUMN_dep, depth);
    batch_put(batch, COLUMN_dur_us,
              value_of(record, wait ? FIELD_ELA : FIELD_C));
    put_fields(batch, record);
    struct contained contained = {0};
    if (wait)
        account_wait(scan, record, line);
    else
        contained = account_call(scan, record, depth, line);
    put_contained(batch, scan->sessions.now, record, &contained, line);
}

// Of the contents of calls, only orphans are wanted: a wait, or a call of the
// client, makes a difference where a recursive call came before it.
static void count_wait(struct scan *scan, const struct record *record) {
    if (scan->sessions.now->containment.count ||
        !(record->has >> FIELD_TIM & 1))
        account_wait(scan, record, 0);
    else
        scan->summary.waits++;
    scan->out_of_memory |=
        !tally_add(&scan->tally, record->name, true, record->field[FIELD_ELA]);
}

void expect_call(const struct scan *scan, const struct record *record) {
    const bool wait = record->kind == WAIT_CALL;
    tally_expect(&scan->tally, record->name, wait,
                 record->field[wait ? FIELD_ELA : FIELD_C]);
}

void count_call(struct scan *scan, struct record *record) {
    scan_clock(scan, record);
    if (record->kind == WAIT_CALL) {
        count_wait(scan, record);
        return;
    }
    const int64_t depth = value_of(record, FIELD_DEP);
    account_call(scan, record, depth, 0);
    if (depth > 0 && scan->options.top)
        return;
    scan->out_of_memory |=
        !tally_add(&scan->tally, record->name, false, record->field[FIELD_C]);
}

void put_row(struct scan *scan, struct batch *batch, struct record *record,
             const char *data) {
    const int64_t line = scan->summary.lines + record->line + 1;
    const enum row_kind kind = row_kind(record);
    if (batch->bind_begin)
        batch->bind_begin[batch->rows + 1] = (int32_t)batch->binds;
    batch_put_index(batch, COLUMN_name, record->name);
    batch_put_index(batch, COLUMN_kind, (int32_t)kind);
    batch_put(batch, COLUMN_line, line);
    batch_put(batch, COLUMN_byte_offset,
              scan->summary.bytes + (int64_t)record->start);
    if (batch_wants(batch, COLUMN_text)) {
        size_t text = record->len;
        while (text && data[record->start + text - 1] == '\r')
            text--;
        batch_put_index(batch, COLUMN_text,
                        strings_add(&batch->strings[TEXT_STRINGS],
                                    data + record->start, text));
    }
    if (kind == CALL_ROW || kind == WAIT_ROW) {
        scan_clock(scan, record);
        put_call(scan, batch, record, line);
    } else if (kind == PLAN_ROW) {
        batch_put(batch, COLUMN_cursor, record->cursor);
        put_cursor(scan, batch, record, line);
    }
    put_session(batch, scan->sessions.now, record);
    batch->rows++;
}
