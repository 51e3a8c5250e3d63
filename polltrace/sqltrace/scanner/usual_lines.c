// SPDX-License-Identifier: GPL-2.0-or-later
// What is read here is what record_reader.c would read: a line that differs in
// anything is left to it.
#include "usual_lines.h"

#include "lines.h"
#include "usual_fields.h"

// The known events that the name at `name` may be: by where the first quote is,
// and what is before it.
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
    const size_t whole = len + sizeof AFTER - 1;
    struct known_event *to = events_like(reader, name);
    if (whole > sizeof to->text)
        return;
    to[1] = to[0];
    memset(to->mask, 0, sizeof to->mask);
    memset(to->mask, 0xff, whole);
    // The line has it once more, behind the name.
    memset(to->text, 0, sizeof to->text);
    memcpy(to->text, name, whole);
    to->len = (uint32_t)whole;
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

static inline bool usual_wait(struct reader *reader, const char *at,
                              const char *eol) {
    const char *p = at + 6;
    if (reader->want & WANT_PARAMETERS || !is_known_cursor(&reader->cursor, p))
        return false;
    p += reader->cursor.len;
    if (memcmp(p, " nam='", 6) != 0)
        return false;
    const struct known_event *event = find_event(reader, p + 6);
    if (!event)
        return false;
    p += 6 + event->len;
    p += *p == ' ';
    uint64_t ela;
    if (read_digits(p, &ela) - 1 > 6)
        return false;
    p = find_tim(p);
    if (!p)
        return false;
    p += 5;
    int64_t tim;
    if (!read_long_number(&p, &tim, &reader->known.tim) || !is_at_end(p, eol))
        return false;
    struct record *made = reader_add(reader, WAIT_CALL, at, eol);
    if (!made)
        return false;
    made->cursor = reader->cursor.number;
    made->name = event->name;
    made->has = 1u << FIELD_ELA | 1u << FIELD_TIM;
    made->field[FIELD_ELA] = (int64_t)ela;
    made->field[FIELD_TIM] = tim;
    return true;
}

static inline bool usual_call(struct reader *reader, enum record_kind kind,
                              size_t word, const char *at, const char *eol) {
    const char *p = at + word;
    if (!is_known_cursor(&reader->cursor, p))
        return false;
    p += reader->cursor.len;
    struct record *made = reader_add(reader, kind, at, eol);
    if (!made)
        return false;
    made->cursor = reader->cursor.number;
    if (!read_usual_fields(&p, made, &reader->known) && is_at_end(p, eol))
        return true;
    reader->block->count--;
    return false;
}

static inline bool usual_binds(struct reader *reader, const char *at,
                               const char *eol) {
    const char *const number = at + 7;
    if (!is_known_cursor(&reader->cursor, number) ||
        !is_at_end(number + reader->cursor.len, eol))
        return false;
    struct record *made = reader_add(reader, BINDS_RECORD, at, eol);
    if (made)
        made->cursor = reader->cursor.number;
    return made;
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
