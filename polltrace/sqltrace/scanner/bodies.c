// SPDX-License-Identifier: GPL-2.0-or-later
// The lines after PARSING IN CURSOR, PARSE ERROR and BINDS. They are
// the text of users, so they may look like records.
#define _GNU_SOURCE // memrchr
#include "binds.h"
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
        at = after_line(eol, until);
    }
}

// Whether the line after END OF STMT can: a record or a separator. It cannot
// where a text holds such a line.
static bool follows_statement(const char *at, const char *end) {
    static const char *const FIRST[] = {
        "=====",  "PARSE ", "EXEC #", "FETCH ", "WAIT #", "BINDS ",
        "CLOSE ", "STAT #", "ERROR ", "XCTEND", "*** ",   "PARSING "};
    for (size_t i = 0; i < sizeof FIRST / sizeof *FIRST; i++) {
        const size_t len = strlen(FIRST[i]);
        if ((size_t)(end - at) >= len && memcmp(at, FIRST[i], len) == 0)
            return true;
    }
    return at < end && (*at == '\n' || *at == '\r');
}

// The line END OF STMT, which a record may follow at once.
static bool is_statement_end(const char *at, const char *end) {
    const size_t len = sizeof STATEMENT_END - 1;
    return end - at > (ptrdiff_t)len && memcmp(at, STATEMENT_END, len) == 0 &&
           follows_statement(at + len, end);
}

// Behind the line END OF STMT at `at`.
static const char *behind_statement(const char *at, const char *end) {
    const size_t len = sizeof STATEMENT_END - 1;
    if (end - at <= (ptrdiff_t)len || at[len] == '\n' || at[len] == '\r')
        return skip_line(at, end);
    return at + len;
}

// The line END OF STMT where a text of `len` bytes at `at` ends; NULL where
// there is none.
static const char *end_by_length(const char *at, const char *end, int64_t len) {
    if (len < 0 || len >= end - at)
        return NULL;
    const char *line_break = at + len;
    line_break += *line_break == '\r';
    return *line_break == '\n' && is_statement_end(line_break + 1, end)
               ? line_break + 1
               : NULL;
}

// The first line END OF STMT that something follows which can; else the last
// one that nothing follows. NULL where there is none.
static const char *end_by_lines(const char *at, const char *end) {
    while (at < end) {
        const char *const next = skip_line(at, end);
        if (is_statement_end(at, end) && behind_statement(at, end) < next)
            return at;
        if (is_statement_end(at, end) &&
            (next >= end || follows_statement(next, end)))
            return at;
        at = next;
    }
    return NULL;
}

// Where the text at `at` ends, of which Oracle said its length; NULL where it
// goes on in the next block.
static const char *find_statement_end(struct reader *reader, const char *at,
                                      int64_t len) {
    const char *text_end = end_by_length(at, reader->end, len);
    if (text_end)
        return text_end;
    const bool beyond = len >= reader->end - at && len <= LONGEST_TEXT;
    text_end = end_by_lines(at, reader->end);
    // The last line may be of the text all the same: the next block tells.
    if (text_end && beyond && skip_line(text_end, reader->end) == reader->end) {
        reader->mode.may_be_over = true;
        text_end = NULL;
    }
    reader->mode.left =
        text_end || !beyond ? 0 : (uint32_t)(len - (reader->end - at));
    return text_end;
}

// The text at `at`, which belongs to the record `index`.
static const char *read_text(struct reader *reader, size_t index,
                             const char *at, int64_t len) {
    struct record *record = &reader->block->record[index];
    reader->mode = (struct mode){.place = AT_RECORDS};
    const char *text_end = find_statement_end(reader, at, len);
    const char *const until = text_end ? text_end : reader->end;
    record->body = (uint32_t)(at - reader->block->data);
    record->body_len = (uint32_t)(until - at);
    if (!text_end)
        reader->mode.place = IN_TEXT;
    const char *const next =
        text_end ? behind_statement(text_end, reader->end) : until;
    pass_lines(reader, at, next);
    return next;
}

// The rest of a text that a block before began.
static const char *read_text_rest(struct reader *reader, const char *at) {
    const struct mode mode = reader->mode;
    if (mode.may_be_over && mode.left <= reader->end - at &&
        !end_by_length(at, reader->end, mode.left)) {
        reader->mode = (struct mode){.place = AT_RECORDS};
        return at;
    }
    const size_t index = reader->block->count;
    if (!reader_add(reader, TEXT_REST_RECORD, at, at))
        return reader->end;
    const char *next =
        read_text(reader, index, at, mode.left ? (int64_t)mode.left : -1);
    reader->mode.may_be_over |=
        mode.may_be_over && reader->mode.place == IN_TEXT;
    return next;
}

// Whether a record or a separator begins at `at`.
static bool begins_record(struct reader *reader, const char *at,
                          const char *eol) {
    const size_t count = reader->block->count;
    const bool is_record = BEGINS(at, eol, "=====") ||
                           BEGINS(at, eol, "*** ") ||
                           read_record(reader, at, eol);
    reader->block->count = count;
    return is_record;
}

// The length of an error's text that ends before the next record; 0 where the
// block ends first.
static size_t text_before_record(struct reader *reader, const char *at) {
    const char *const begin = at;
    while (at < reader->end) {
        const char *const eol = line_end(at, reader->end);
        if (begins_record(reader, at, eol))
            return (size_t)(at - begin);
        at = after_line(eol, reader->end);
    }
    return 0;
}

// A statement that did not parse has no END OF STMT: its length shows where it
// ends, or the next record does.
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
    const char *next;
    if (len > 0 && len <= LONGEST_TEXT && len < reader->end - at &&
        (at[len] == '\n' || at[len] == '\r')) {
        next = skip_line(at + len, reader->end);
    } else {
        len = (int64_t)text_before_record(reader, at);
        if (!len)
            return at;
        reader->mode.place = AT_RECORDS;
        next = at + len;
    }
    record = &reader->block->record[index]; // it may have moved
    record->body = (uint32_t)(at - reader->block->data);
    record->body_len = (uint32_t)len;
    pass_lines(reader, at, next);
    return next;
}

// The line [at, eol) is of a value in quotes that does not end in it.
static bool opens_value(const char *at, const char *eol) {
    static const char VALUE[] = "value=\"";
    const ptrdiff_t len = sizeof VALUE - 1;
    const char *const line = at;
    while (at < eol && *at == ' ')
        at++;
    return at - line >= 2 && eol - at >= len && memcmp(at, VALUE, len) == 0 &&
           !value_end(at + len, eol);
}

// Whether the last of the lines [from, until) leaves a value open.
static bool leaves_value_open(const char *from, const char *until) {
    const char *const eol = until - 1;
    const char *const newline = memrchr(from, '\n', (size_t)(eol - from));
    return opens_value(newline ? newline + 1 : from, eol);
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
    const char *const next = after_line(eol, reader->end);
    const size_t len = (size_t)(next - at);
    if (len > reader->mode.left) {
        kinds_add(&reader->block->kinds, "(unclosed value)", 16, 1);
        reader->mode = (struct mode){.place = IN_BINDS};
    } else if (value_end(at, eol)) {
        reader->mode = (struct mode){.place = IN_BINDS};
    } else {
        reader->mode.left -= (uint32_t)len;
    }
    pass_lines(reader, at, next);
    return next;
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

const char *pass_binds(struct reader *reader, const char *at) {
    reader->mode.place = IN_BINDS;
    return read_bind_lines(reader, SIZE_MAX, at);
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
    case NOTICE_RECORD: // of a session that goes on in its record
        return at;
    default:
        reader->mode.place = AT_RECORDS;
        return at;
    }
}

const char *read_rest(struct reader *reader, const char *at) {
    if (reader->mode.place == IN_TEXT)
        return read_text_rest(reader, at);
    const size_t index = reader->block->count;
    if (reader->want & WANT_BINDS &&
        !reader_add(reader, BINDS_REST_RECORD, at, at))
        return reader->end;
    return read_bind_lines(reader, reader->want & WANT_BINDS ? index : SIZE_MAX,
                           at);
}
