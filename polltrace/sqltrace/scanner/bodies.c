// SPDX-License-Identifier: GPL-2.0-or-later
// The lines after PARSING IN CURSOR, PARSE ERROR and BINDS. They are what
// somebody wrote, so they may look like records.
#include "fields.h"
#include "lines.h"
#include "reader.h"

static const char STATEMENT_END[] = "END OF STMT";

// No value of a bind is longer; the rest of its block is not lost to a quote
// that is missing.
enum { LONGEST_VALUE = 65536, LONGEST_TEXT = 1 << 20 };

// Every line is a record where that is wanted; else lines are only counted.
static void pass_lines(struct reader *reader, const char *at,
                       const char *until) {
    if (!(reader->want & WANT_LINES)) {
        reader->block->lines += count_lines(at, until);
        return;
    }
    while (at < until) {
        const char *const eol = line_end(at, until);
        reader_add(reader, LINE_RECORD, at, eol);
        reader->block->lines++;
        at = eol + 1;
    }
}

static bool is_statement_end(const char *at, const char *end) {
    const size_t len = sizeof STATEMENT_END - 1;
    return (size_t)(end - at) > len && memcmp(at, STATEMENT_END, len) == 0 &&
           (at[len] == '\n' || at[len] == '\r');
}

// The line END OF STMT that ends the text at `at`, whose length Oracle said
// to be `len`: it may hold such a line itself. NULL where it is not here.
static const char *find_statement_end(const char *at, const char *end,
                                      int64_t len) {
    if (len >= 0 && len < end - at) {
        const char *after = at + len;
        after += *after == '\r';
        if (*after == '\n' && is_statement_end(after + 1, end))
            return after + 1;
    }
    while (at < end) {
        if (is_statement_end(at, end))
            return at;
        at = line_end(at, end) + 1;
    }
    return NULL;
}

// The text at `at`, which belongs to the record `index`.
static const char *read_text(struct reader *reader, size_t index,
                             const char *at, int64_t len) {
    struct record *record = &reader->block->record[index];
    const char *found = find_statement_end(at, reader->end, len);
    const char *const until = found ? found : reader->end;
    record->body = (uint32_t)(at - reader->block->data);
    record->body_len = (uint32_t)(until - at);
    reader->mode.place = found ? AT_RECORDS : IN_TEXT;
    const char *const next = found ? line_end(found, reader->end) + 1 : until;
    pass_lines(reader, at, next);
    return next;
}

// A statement that did not parse has no END OF STMT: its length tells, or the
// next record does.
static const char *read_error_text(struct reader *reader, size_t index,
                                   const char *at) {
    struct record *record = &reader->block->record[index];
    const char *line = reader->block->data + record->start;
    int64_t len = 0;
    reader->mode.place = IN_ERROR_TEXT;
    const char *const colon = memchr(line, ':', record->len);
    if (colon && memcmp(colon, ":len=", 5) == 0) {
        const char *p = colon + 5;
        read_number(&p, &len);
    }
    if (len <= 0 || len > LONGEST_TEXT || len >= reader->end - at ||
        (at[len] != '\n' && at[len] != '\r'))
        return at;
    record->body = (uint32_t)(at - reader->block->data);
    record->body_len = (uint32_t)len;
    const char *const next = line_end(at + len, reader->end) + 1;
    pass_lines(reader, at, next);
    return next;
}

// The line [at, eol) is of a value in quotes that does not end in it.
static bool opens_value(const char *at, const char *eol) {
    static const char VALUE[] = "  value=\"";
    const size_t len = sizeof VALUE - 1;
    if (eol > at && eol[-1] == '\r')
        eol--;
    return (size_t)(eol - at) >= len && memcmp(at, VALUE, len) == 0 &&
           ((size_t)(eol - at) == len || eol[-1] != '"');
}

// Whether the last of the lines [from, until) leaves a value open.
static bool leaves_value_open(const char *from, const char *until) {
    const char *const eol = until - 1;
    const char *at = eol;
    while (at > from && at[-1] != '\n')
        at--;
    return opens_value(at, eol);
}

// Indented lines, and those of a value that spans lines.
static const char *read_binds(struct reader *reader, const char *at) {
    uint32_t lines = 0;
    const char *const next = skip_indented(at, reader->end, &lines);
    if (next == at)
        return at;
    if (reader->want & WANT_LINES)
        pass_lines(reader, at, next);
    else
        reader->block->lines += lines;
    if (leaves_value_open(at, next)) {
        reader->mode.place = IN_VALUE;
        reader->mode.left = LONGEST_VALUE;
    }
    return next;
}

// A line of a value: the last one ends with a quote.
static const char *read_value(struct reader *reader, const char *at) {
    const char *const eol = line_end(at, reader->end);
    const char *last = eol;
    if (last > at && last[-1] == '\r')
        last--;
    const size_t len = (size_t)(eol + 1 - at);
    if (len > reader->mode.left) {
        kinds_add(&reader->block->kinds, "(unclosed value)", 16, 1);
        reader->mode.place = IN_BINDS;
    } else if (last > at && last[-1] == '"') {
        reader->mode.place = IN_BINDS;
    } else {
        reader->mode.left -= (uint32_t)len;
    }
    pass_lines(reader, at, eol + 1);
    return eol + 1;
}

// All lines of binds from `at`, as the body of the record `index`.
static const char *read_bind_lines(struct reader *reader, size_t index,
                                   const char *at) {
    const char *next = at, *before;
    do {
        before = next;
        if (reader->mode.place == IN_BINDS)
            next = read_binds(reader, next);
        while (next < reader->end && reader->mode.place == IN_VALUE)
            next = read_value(reader, next);
    } while (next > before && next < reader->end);
    if (index < reader->block->count) {
        reader->block->record[index].body =
            (uint32_t)(at - reader->block->data);
        reader->block->record[index].body_len = (uint32_t)(next - at);
    }
    return next;
}

const char *read_body(struct reader *reader, const char *at) {
    const size_t index = reader->block->count - 1;
    const struct record *record = &reader->block->record[index];
    const char *const line = reader->block->data + record->start;
    int64_t len = -1;
    switch (record->kind) {
    case STATEMENT_RECORD:
        find_number(line, line + record->len, "len=", &len);
        return read_text(reader, index, at, len);
    case PARSE_ERROR_CALL:
        return read_error_text(reader, index, at);
    case BINDS_RECORD:
        reader->mode.place = IN_BINDS;
        return read_bind_lines(reader, index, at);
    case NOTICE_RECORD: // of a session that goes on with what it wrote
        return at;
    default:
        reader->mode.place = AT_RECORDS;
        return at;
    }
}

const char *read_rest(struct reader *reader, const char *at) {
    const size_t index = reader->block->count;
    if (reader->mode.place == IN_TEXT) {
        if (!reader_add(reader, TEXT_REST_RECORD, at, at))
            return reader->end;
        return read_text(reader, index, at, -1);
    }
    if (reader->want & WANT_BINDS &&
        !reader_add(reader, BINDS_REST_RECORD, at, at))
        return reader->end;
    return read_bind_lines(reader, reader->want & WANT_BINDS ? index : SIZE_MAX,
                           at);
}
