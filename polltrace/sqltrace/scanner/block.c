// SPDX-License-Identifier: GPL-2.0-or-later
#include "block.h"

#include <stdlib.h>

#include "lines.h"
#include "reader.h"
#include "usual_lines.h"

// Other lines of Oracle: at the head of a file, and between records.
static const char *const KNOWN[] = {
    "=====",
    "Trace file ",
    "Dump file ",
    "/", // 10g: the path of the file alone
    "Oracle Database ",
    "Oracle9i ",
    "Oracle8i ",
    "ORACLE V",
    "Version",
    "Build label:",
    "ORACLE_HOME",
    "System name:",
    "Node name:",
    "Release:",
    "Machine:",
    "Windows ",
    "CPU ",
    "Process Affinity",
    "Memory (",
    "VM name:",
    "Instance name:",
    "Redo thread mounted",
    "Oracle process number:",
    "Unix process pid:",
    "With the ",
    "and ",
    "JServer Release",
    "END OF STMT",
    "RPC CALL:",
    "RPC BINDS:",
};

bool reader_grow(struct reader *reader) {
    struct block *block = reader->block;
    const size_t room = block->room ? 2 * block->room : 64;
    void *grown = realloc(block->record, room * sizeof *block->record);
    if (!grown) {
        block->out_of_memory = true;
        return false;
    }
    block->record = grown;
    block->room = room;
    return true;
}

bool reader_name(struct reader *reader, struct record *record, const char *name,
                 size_t len) {
    record->name = names_find(&reader->block->names, name, len);
    reader->block->out_of_memory |= record->name < 0;
    return record->name >= 0;
}

static bool is_blank(const char *at, const char *eol) {
    while (at < eol && (*at == ' ' || *at == '\r' || *at == '\t'))
        at++;
    return at == eol;
}

static bool is_known(const char *at, const char *eol) {
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++) {
        const size_t len = strlen(KNOWN[i]);
        if ((size_t)(eol - at) >= len && memcmp(at, KNOWN[i], len) == 0)
            return true;
    }
    return false;
}

// A line that begins no record.
static void other_line(struct reader *reader, const char *at, const char *eol) {
    const bool blank = is_blank(at, eol);
    const bool known = !blank && is_known(at, eol);
    // A value's own lines and dumps are as their bind has them.
    const bool of_body =
        reader->mode.place == IN_BINDS || reader->mode.place == IN_ERROR_TEXT;
    if (known && !of_body) {
        reader_add(reader, HEADER_RECORD, at, eol);
        reader->block->has_header |= !reader->block->has_record;
    } else if (reader->want & WANT_LINES)
        reader_add(reader, LINE_RECORD, at, eol);
    if (known && *at == '=')
        reader->mode.place = AT_RECORDS;
    if (!blank && !known && !of_body)
        kinds_add_line(reader->block->has_record ? &reader->block->kinds
                                                 : &reader->block->preamble,
                       at, eol);
}

// Further records of the line, which Oracle sometimes runs together.
static void rest_of_line(struct reader *reader, const char *at,
                         const char *eol) {
    while (at && at < eol && !is_blank(at, eol)) {
        struct block *block = reader->block;
        block->record[block->count - 1].len =
            (uint32_t)(at - block->data) -
            block->record[block->count - 1].start;
        const char *next = read_record(reader, at, eol);
        if (!next)
            kinds_add(&block->kinds, "(after a record)", 16, 1);
        at = next;
    }
}

// Whether the records that follow those of a line, from `first` on, can be
// counted as they are read.
static void expect_counts(struct reader *reader, size_t first) {
    if (!(reader->want & WANT_COUNTS))
        return;
    for (size_t i = first; i < reader->block->count; i++) {
        const struct record *const record = &reader->block->record[i];
        const bool is_call = record->kind >= PARSE_CALL &&
                             record->kind <= LAST_CALL &&
                             record->kind != WAIT_CALL;
        if ((record->kind == NOTICE_RECORD || record->kind == HEADER_RECORD) &&
            reader->want & WANT_UNIT)
            reader->want &= ~(unsigned)WANT_COUNTS;
        if (record->kind == NOTICE_RECORD || record->kind == HEADER_RECORD)
            reader->counts = false;
        else if (is_call && record->has >> FIELD_DEP & 1 &&
                 record->field[FIELD_DEP])
            reader->counts = false;
        else if (is_call && record->has >> FIELD_TIM & 1 &&
                 (uint64_t)record->field[FIELD_TIM] < (uint64_t)LARGEST)
            reader->counts = true;
    }
    reader->counts &= (reader->want & WANT_COUNTS) != 0;
}

static const char *next_line(struct reader *reader, const char *at) {
    const enum place place = reader->mode.place;
    if (place == IN_VALUE || (place == IN_BINDS && (*at == ' ' || *at == '\n')))
        return read_rest(reader, at);
#ifndef GENERAL // the reference for comparisons
    if (reader->counts) {
        const char *const next = count_line(reader, at);
        if (next)
            return next;
        end_run(reader, at);
    }
#endif
    const size_t first = reader->block->count;
    const char *const eol = line_end(at, reader->end);
#ifndef GENERAL // the reference for comparisons
    if (read_usual_line(reader, at, eol)) {
        reader->block->lines++;
        reader->block->has_record = true;
        expect_counts(reader, first);
        return read_body(reader, after_line(eol, reader->end));
    }
#endif
    const char *const record_end = read_record(reader, at, eol);
    if (!record_end) {
        other_line(reader, at, eol);
        expect_counts(reader, first);
        reader->block->lines++;
        return after_line(eol, reader->end);
    }
    reader->block->has_record |=
        !BEGINS(at, eol, "*** TRACE") && !BEGINS(at, eol, "*** DUMP");
    if (record_end < eol)
        rest_of_line(reader, record_end, eol);
    expect_counts(reader, first);
    reader->block->lines++;
    return read_body(reader, after_line(eol, reader->end));
}

// The names of the kinds of record whose lines do not hold it, as indices.
static bool name_kinds(struct reader *reader) {
    static const char *const NAMES[] = {
        [PARSE_CALL] = "PARSE", [EXEC_CALL] = "EXEC",
        [FETCH_CALL] = "FETCH", [CLOSE_CALL] = "CLOSE",
        [UNMAP_CALL] = "UNMAP", [SORT_UNMAP_CALL] = "SORT UNMAP",
        [ERROR_CALL] = "ERROR", [PARSE_ERROR_CALL] = "PARSE ERROR",
    };
    struct names *names = &reader->block->names;
    if (!names_clear(names))
        return false;
    for (size_t kind = 0; kind < RECORD_KINDS; kind++) {
        const bool named = kind <= LAST_CALL && NAMES[kind];
        const char *const name = named ? NAMES[kind] : "";
        reader->name_of[kind] = names_find(names, name, strlen(name));
        if (reader->name_of[kind] < 0)
            return false;
    }
    return true;
}

struct mode block_guess(const char *data, size_t len) {
    static const char *const OF_BINDS[] = {" Bind#",      " bind ",
                                           "  oacdty=",   "  oacflg=",
                                           "  kxsbbbfp=", "  value="};
    for (size_t i = 0; i < sizeof OF_BINDS / sizeof *OF_BINDS; i++) {
        const size_t needed = strlen(OF_BINDS[i]);
        if (len >= needed && memcmp(data, OF_BINDS[i], needed) == 0)
            return (struct mode){.place = IN_BINDS};
    }
    return (struct mode){.place = AT_RECORDS};
}

void block_read(struct block *block, const char *data, size_t len,
                struct mode begins, unsigned want) {
    block->data = data;
    block->len = len;
    block->begins = begins;
    block->want = want;
    block->lines = 0;
    block->count = 0;
    block->kinds.count = block->preamble.count = 0;
    block->has_header = false;
    block->has_record = begins.place != AT_RECORDS;
    struct reader reader = {
        .block = block,
        .end = data + len,
        .want = want,
        .mode = begins,
        .known = {.tim = NO_KNOWN_DIGITS, .plh = NO_KNOWN_DIGITS}};
    block->out_of_memory =
        !name_kinds(&reader) || !counts_clear(&block->counts);
    if (block->out_of_memory)
        return;
    const char *at = data;
    if (begins.place == IN_TEXT && len)
        at = read_rest(&reader, at);
    while (at < reader.end && !block->out_of_memory)
        at = next_line(&reader, at);
    end_run(&reader, at);
    block->ends = reader.mode;
}

void block_free(struct block *block) {
    free(block->record);
    names_free(&block->names);
    counts_free(&block->counts);
    *block = (struct block){0};
}
