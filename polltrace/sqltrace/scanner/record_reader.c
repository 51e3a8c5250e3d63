// SPDX-License-Identifier: GPL-2.0-or-later
// The line that begins a record. Its other fields are in fields.c.
#include "fields.h"
#include "reader.h"
#include "usual_lines.h"

static void know_cursor(struct known_cursor *known, const char *at, size_t len,
                        int64_t number) {
    if (len > sizeof known->text)
        return;
    unsigned char mask[sizeof known->mask] = {0};
    memset(mask, 0xff, len);
    memcpy(known->mask, mask, sizeof mask);
    memcpy(known->text, at, sizeof known->text);
    known->len = (uint32_t)len;
    known->number = number;
}

// "#123:" or "#123 "; NULL where it is none.
static const char *read_cursor(struct reader *reader, const char *at,
                               struct record *to) {
    if (*at++ != '#')
        return NULL;
    if (is_known_cursor(&reader->cursor, at)) {
        to->cursor = reader->cursor.number;
        return at + reader->cursor.len;
    }
    const char *const digits = at;
    if (!read_number(&at, &to->cursor) || (*at != ':' && *at != ' '))
        return NULL;
    at++;
    know_cursor(&reader->cursor, digits, (size_t)(at - digits), to->cursor);
    return at;
}

// A record that is not of the kind of its first word is taken back.
static const char *take_back(struct reader *reader) {
    reader->block->count--;
    return NULL;
}

// A call on a cursor, whose fields are separated by commas.
static const char *cursor_call(struct reader *reader, enum record_kind kind,
                               size_t word, const char *at, const char *eol) {
    struct record *record = reader_add(reader, kind, at, eol);
    if (!record)
        return NULL;
    const char *p = read_cursor(reader, at + word, record);
    return p ? read_call(p, eol, record, &reader->known) : take_back(reader);
}

static const char *wait_call(struct reader *reader, const char *at,
                             const char *eol) {
    struct record *record = reader_add(reader, WAIT_CALL, at, eol);
    if (!record)
        return NULL;
    const char *p = read_cursor(reader, at + 5, record);
    struct text name;
    p = p ? read_wait(p, eol, reader->want & WANT_PARAMETERS, record, &name,
                      &reader->known)
          : NULL;
    if (!p)
        return take_back(reader);
    if (!reader_name(reader, record, name.at, name.len))
        return NULL;
    know_event(reader, name.at, name.len, record->name);
    return p;
}

// A call without a cursor, "XCTEND rlbk=0", of `word` letters.
static const char *plain_call(struct reader *reader, enum record_kind kind,
                              size_t word, const char *at, const char *eol) {
    struct record *record = reader_add(reader, kind, at, eol);
    if (!record)
        return NULL;
    if (!reader_name(reader, record, at, word))
        return NULL;
    return read_call(at + word + 1, eol, record, &reader->known);
}

// "LOBREAD:c=8,...", "LOBTMPCREATE:..."; which there are differs by release.
static const char *lob_call(struct reader *reader, const char *at,
                            const char *eol) {
    size_t word = 3;
    while (at + word < eol && at[word] >= 'A' && at[word] <= 'Z' && word < 64)
        word++;
    return at[word] == ':' ? plain_call(reader, LOB_CALL, word, at, eol) : NULL;
}

// A record whose fields are read when it is needed.
static const char *whole_line(struct reader *reader, enum record_kind kind,
                              size_t word, const char *at, const char *eol) {
    struct record *record = reader_add(reader, kind, at, eol);
    if (!record)
        return NULL;
    if (word && !read_cursor(reader, at + word, record))
        return take_back(reader);
    return eol;
}

const char *read_record(struct reader *reader, const char *at,
                        const char *eol) {
#define CALL(text, kind)                                                       \
    if (BEGINS(at, eol, text " #"))                                            \
    return cursor_call(reader, kind, sizeof(text), at, eol)
#define LINE(text, kind)                                                       \
    if (BEGINS(at, eol, text " #"))                                            \
    return whole_line(reader, kind, sizeof(text), at, eol)
    switch (*at) {
    case 'A':
        if (BEGINS(at, eol, "APPNAME mod='"))
            return whole_line(reader, NOTICE_RECORD, 0, at, eol);
        break;
    case 'W':
        if (BEGINS(at, eol, "WAIT #"))
            return wait_call(reader, at, eol);
        break;
    case 'E':
        CALL("EXEC", EXEC_CALL);
        CALL("ERROR", ERROR_CALL);
        break;
    case 'F':
        CALL("FETCH", FETCH_CALL);
        break;
    case 'C':
        CALL("CLOSE", CLOSE_CALL);
        break;
    case 'P':
        CALL("PARSE", PARSE_CALL);
        LINE("PARSING IN CURSOR", STATEMENT_RECORD);
        CALL("PARSE ERROR", PARSE_ERROR_CALL);
        break;
    case 'B':
        LINE("BINDS", BINDS_RECORD);
        break;
    case 'S':
        LINE("STAT", STAT_RECORD);
        CALL("SORT UNMAP", SORT_UNMAP_CALL);
        break;
    case 'U':
        CALL("UNMAP", UNMAP_CALL);
        break;
    case 'X':
        if (BEGINS(at, eol, "XCTEND "))
            return plain_call(reader, XCTEND_CALL, 6, at, eol);
        break;
    case 'L':
        if (BEGINS(at, eol, "LOB"))
            return lob_call(reader, at, eol);
        break;
    case 'R':
        if (BEGINS(at, eol, "RPC EXEC:"))
            return plain_call(reader, RPC_CALL, 8, at, eol);
        break;
    case '*':
        if (BEGINS(at, eol, "*** "))
            return whole_line(reader, NOTICE_RECORD, 0, at, eol);
        break;
    }
    return NULL;
#undef CALL
#undef LINE
}
