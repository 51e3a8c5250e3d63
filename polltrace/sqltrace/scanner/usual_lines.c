// SPDX-License-Identifier: GPL-2.0-or-later
// The result here is the one of record_reader.c: a line that differs in
// anything is left to it.
#define _GNU_SOURCE // memrchr
#include "usual_lines.h"

#include "lines.h"
#include "usual_fields.h"

// The known events that the name at `name` may be: by the place of the first
// quote, and the byte before it.
static inline struct known_event *events_like(struct reader *reader,
                                              const char *name) {
    const unsigned quote = first_of_32(name, '\'');
    uint64_t last;
    memcpy(&last, name + quote - sizeof last, sizeof last);
    return reader->event[(last + quote) * 0x9E3779B97F4A7C15u >>
                         (64 - KNOWN_EVENT_BITS)];
}

void know_event(struct reader *reader, const char *name, size_t len,
                int32_t index) {
    static const char AFTER[] = "' ela=";
    const size_t total = len + sizeof AFTER - 1;
    struct known_event *to = events_like(reader, name);
    if (total > sizeof to->text)
        return;
    to[1] = to[0];
    memset(to->mask, 0, sizeof to->mask);
    memset(to->mask, 0xff, total);
    // The line has it once more, behind the name.
    memset(to->text, 0, sizeof to->text);
    memcpy(to->text, name, total);
    to->len = (uint32_t)total;
    to->name = index;
}

// "db file sequential read' ela=" at `at`; NULL where it is no event that the
// block had before.
static const struct known_event *find_event(struct reader *reader,
                                            const char *at) {
    const struct known_event *event = events_like(reader, at);
    for (size_t i = 0; i < 2; i++)
        if (event[i].len && is_same_64(at, event[i].text, event[i].mask))
            return &event[i];
    return NULL;
}

// Whether a record that ends at `at` is the last one of its line.
static inline bool is_at_end(const char *at, const char *eol) {
    return at == eol || (at + 1 == eol && *at == '\r');
}

// Reads the wait at `at`, parameters left out. Returns where it ends; NULL
// where it is none that can be read in this way.
static inline const char *wait_fields(struct reader *reader, const char *at,
                                      int32_t *name, uint64_t *ela,
                                      int64_t *tim) {
    const char *p = at + 6;
    if (!is_known_cursor(&reader->cursor, p))
        return NULL;
    p += reader->cursor.len;
    if (memcmp(p, " nam='", 6) != 0)
        return NULL;
    const struct known_event *event = find_event(reader, p + 6);
    if (!event)
        return NULL;
    *name = event->name;
    p += 6 + event->len;
    p += *p == ' ';
    if (read_digits(p, ela) - 1 > 6)
        return NULL;
    p = find_tim(p, reader->end);
    if (!p)
        return NULL;
    p += 5;
    return read_long_number(&p, tim, &reader->known.tim) ? p : NULL;
}

static inline bool usual_wait(struct reader *reader, const char *at,
                              const char *eol) {
    if (reader->want & WANT_PARAMETERS)
        return false;
    int32_t name;
    uint64_t ela;
    int64_t tim;
    const char *const p = wait_fields(reader, at, &name, &ela, &tim);
    if (!p || !is_at_end(p, eol))
        return false;
    struct record *record = reader_add(reader, WAIT_CALL, at, eol);
    if (!record)
        return false;
    record->cursor = reader->cursor.number;
    record->name = name;
    record->has = 1u << FIELD_ELA | 1u << FIELD_TIM;
    record->field[FIELD_ELA] = (int64_t)ela;
    record->field[FIELD_TIM] = tim;
    return true;
}

static inline bool usual_call(struct reader *reader, enum record_kind kind,
                              size_t word, const char *at, const char *eol) {
    const char *p = at + word;
    if (!is_known_cursor(&reader->cursor, p))
        return false;
    p += reader->cursor.len;
    struct record *record = reader_add(reader, kind, at, eol);
    if (!record)
        return false;
    record->cursor = reader->cursor.number;
    if (!read_usual_fields(&p, record, &reader->known) && is_at_end(p, eol))
        return true;
    reader->block->count--;
    return false;
}

static inline bool is_binds(const struct reader *reader, const char *at,
                            const char *eol) {
    const char *const number = at + 7;
    return is_known_cursor(&reader->cursor, number) &&
           is_at_end(number + reader->cursor.len, eol);
}

static inline bool usual_binds(struct reader *reader, const char *at,
                               const char *eol) {
    if (!is_binds(reader, at, eol))
        return false;
    struct record *record = reader_add(reader, BINDS_RECORD, at, eol);
    if (record)
        record->cursor = reader->cursor.number;
    return record;
}

bool read_usual_line(struct reader *reader, const char *at, const char *eol) {
#define IS(text) (memcmp(at, text, sizeof(text) - 1) == 0)
    if (IS("WAIT #"))
        return usual_wait(reader, at, eol);
    if (IS("FETCH #"))
        return usual_call(reader, FETCH_CALL, 7, at, eol);
    if (IS("EXEC #"))
        return usual_call(reader, EXEC_CALL, 6, at, eol);
    if (IS("BINDS #"))
        return usual_binds(reader, at, eol);
    if (IS("CLOSE #"))
        return usual_call(reader, CLOSE_CALL, 7, at, eol);
    if (IS("PARSE #"))
        return usual_call(reader, PARSE_CALL, 7, at, eol);
    return false;
#undef IS
}

void end_run(struct reader *reader, const char *at) {
    const struct run run = reader->run;
    if (!run.calls && !run.waits)
        return;
    struct record *const record =
        reader_add(reader, RUN_RECORD, reader->run_begin, at);
    if (record)
        record->run = run;
    reader->run.calls = reader->run.waits = 0;
}

// The calls that are read once more where a clock steps within them.
enum { LONGEST_RUN = 1 << 16 };

// One that takes [begin, end) of its clock, and the line at `at`.
static inline void extend_run(struct reader *reader, const char *at,
                              int64_t begin, int64_t end) {
    struct run *const run = &reader->run;
    if (end < run->end - CLOCK_STEP || at - reader->run_begin > LONGEST_RUN)
        end_run(reader, at);
    run->last_tim = end;
    if (run->calls || run->waits) {
        run->begin = begin < run->begin ? begin : run->begin;
        run->least_end = end < run->least_end ? end : run->least_end;
        run->end = end > run->end ? end : run->end;
        return;
    }
    reader->run_begin = at;
    run->begin = begin;
    run->least_end = run->end = end;
}

// Behind the line that ends at `at`; NULL where it does not end there. To look
// for its end before its fields are read takes longer.
static inline const char *behind_line(const struct reader *reader,
                                      const char *at) {
    at += *at == '\r';
    return *at == '\n' && at < reader->end ? at + 1 : NULL;
}

// Each of these returns the next line, NULL where the one at `at` must be read
// in another way.
static inline const char *count_wait(struct reader *reader, const char *at) {
    int32_t name;
    uint64_t ela;
    int64_t tim;
    const char *const p = wait_fields(reader, at, &name, &ela, &tim);
    const char *const next = p ? behind_line(reader, p) : NULL;
    if (!next || (uint64_t)tim >= (uint64_t)LARGEST)
        return NULL;
    extend_run(reader, at, tim - (int64_t)ela, tim);
    reader->run.waits++;
    reader->block->out_of_memory |=
        !counts_add(&reader->block->counts, name, true, (int64_t)ela);
    return next;
}

// Of a call that is counted.
struct call_times {
    int64_t c, e, tim;
};

static inline struct known_tail *tail_like(struct reader *reader,
                                           const char *at) {
    uint64_t first;
    memcpy(&first, at, sizeof first);
    return &reader->tail[first * 0x9E3779B97F4A7C15u >> (64 - KNOWN_TAIL_BITS)];
}

static void know_tail(struct known_tail *to, const char *at, size_t len) {
    if (len > sizeof to->text)
        return;
    memset(to->mask, 0, sizeof to->mask);
    memset(to->mask, 0xff, len);
    memcpy(to->text, at, sizeof to->text);
    to->len = (uint32_t)len;
}

// "c=5,e=6," at `at`; returns where the tail begins, NULL where there is more
// or less than that.
static inline const char *read_c_and_e(const char *at, struct call_times *to) {
    uint64_t c, e;
    if (memcmp(at, "c=", 2) != 0)
        return NULL;
    unsigned count = read_digits(at + 2, &c);
    at += 2 + count;
    if (count - 1 > 6 || memcmp(at, ",e=", 3) != 0)
        return NULL;
    count = read_digits(at + 3, &e);
    at += 3 + count;
    to->c = (int64_t)c;
    to->e = (int64_t)e;
    return count - 1 <= 6 && *at == ',' ? at + 1 : NULL;
}

// The times of the call whose fields begin at `at`, if it is one of the
// client's that has a time and nothing behind it. Returns the next line.
static const char *read_times(struct reader *reader, const char *at,
                              struct call_times *to) {
    struct record call;
    memset(call.field, 0, (FIELD_DEP + 1) * sizeof *call.field);
    call.has = 0;
    if (read_usual_fields(&at, &call, &reader->known))
        return NULL;
    to->c = call.field[FIELD_C];
    to->e = call.field[FIELD_E];
    to->tim = call.field[FIELD_TIM];
    if (!(call.has >> FIELD_TIM & 1) || call.field[FIELD_DEP] ||
        (uint64_t)(to->c | to->e | to->tim) >= (uint64_t)LARGEST)
        return NULL;
    return behind_line(reader, at);
}

// The same of a call that has a tail which is known; it is known from now on.
static inline const char *
read_known_times(struct reader *reader, const char *at, struct call_times *to) {
    const char *const tail = read_c_and_e(at, to);
    if (!tail)
        return read_times(reader, at, to);
    struct known_tail *const known = tail_like(reader, tail);
    if (known->len && is_same_64(tail, known->text, known->mask)) {
        const char *p = tail + known->len;
        return read_long_number(&p, &to->tim, &reader->known.tim) &&
                       (uint64_t)to->tim < (uint64_t)LARGEST
                   ? behind_line(reader, p)
                   : NULL;
    }
    const char *const next = read_times(reader, at, to);
    if (!next)
        return NULL;
    const char *const tim = memrchr(tail, '=', (size_t)(next - tail));
    if (tim)
        know_tail(known, tail, (size_t)(tim + 1 - tail));
    return next;
}

static inline const char *count_call(struct reader *reader,
                                     enum record_kind kind, size_t word,
                                     const char *at) {
    const char *const p = at + word;
    struct call_times call;
    if (!is_known_cursor(&reader->cursor, p))
        return NULL;
    const char *const next =
        read_known_times(reader, p + reader->cursor.len, &call);
    if (!next)
        return NULL;
    extend_run(reader, at, call.tim - call.e, call.tim);
    reader->run.calls++;
    reader->block->out_of_memory |= !counts_add(
        &reader->block->counts, reader->name_of[kind], false, call.c);
    return next;
}

static inline const char *count_binds(struct reader *reader, const char *at) {
    const char *const number = at + 7;
    return is_known_cursor(&reader->cursor, number)
               ? behind_line(reader, number + reader->cursor.len)
               : NULL;
}

const char *count_line(struct reader *reader, const char *at) {
    const char *next = NULL;
    expect_bytes(at);
    expect_bytes(at + 64);
#define IS(text) (memcmp(at, text, sizeof(text) - 1) == 0)
    if (IS("WAIT #"))
        next = count_wait(reader, at);
    else if (IS("FETCH #"))
        next = count_call(reader, FETCH_CALL, 7, at);
    else if (IS("EXEC #"))
        next = count_call(reader, EXEC_CALL, 6, at);
    else if (IS("CLOSE #"))
        next = count_call(reader, CLOSE_CALL, 7, at);
    else if (IS("PARSE #"))
        next = count_call(reader, PARSE_CALL, 7, at);
    else if (IS("BINDS #") && (next = count_binds(reader, at))) {
        reader->block->lines++;
        return pass_binds(reader, next);
    }
#undef IS
    if (!next)
        return NULL;
    reader->mode.place = AT_RECORDS;
    reader->block->lines++;
    return next;
}
