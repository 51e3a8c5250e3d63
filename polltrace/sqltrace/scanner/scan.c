// SPDX-License-Identifier: GPL-2.0-or-later
#include "scan.h"

#include <stdlib.h>
#include <string.h>

#include "rows.h"
#include "run.h"

static const uint64_t OF_PARAMETERS = 1ull << COLUMN_p1 | 1ull << COLUMN_p2 |
                                      1ull << COLUMN_p3 | 1ull << COLUMN_obj;

static const char FROM_CLIENT[] = "SQL*Net message from client";

static unsigned wanted(const struct scan_options *options) {
    unsigned want = 0;
    if (options->counted) // no row is made of a line
        return WANT_COUNTS;
    if (options->all_lines)
        want |= WANT_LINES;
    if (options->stats)
        want |= WANT_STATS;
    if (options->columns & OF_PARAMETERS)
        want |= WANT_PARAMETERS;
    if (options->columns >> COLUMN_binds & 1)
        want |= WANT_BINDS;
    return want;
}

struct scan *scan_new(const struct scan_options *options) {
    struct scan *scan = calloc(1, sizeof *scan);
    if (!scan)
        return NULL;
    scan->options = *options;
    scan->summary.clock = options->clock;
    scan->summary.least_depth = -1;
    scan->want = wanted(options);
    if (sessions_switch(&scan->sessions, 0, 0, 0))
        return scan;
    free(scan);
    return NULL;
}
static void take_text(struct scan *scan, const struct block *block,
                      const struct record *record) {
    if (scan->text_of)
        scan->out_of_memory |= !statement_add_text(
            scan->text_of, block->data + record->body, record->body_len);
}

// Another record shows that the text is whole.
static void end_text(struct scan *scan) {
    if (!scan->text_of)
        return;
    statement_end_text(scan->text_of);
    statement_release(scan->text_of);
    scan->text_of = NULL;
}

static void take_statement(struct scan *scan, const struct block *block,
                           const struct record *record) {
    scan->summary.statements++;
    if (scan->options.counted)
        return;
    struct cursor *cursor =
        cursors_find(&scan->sessions.now->cursors, record->cursor);
    struct statement *statement = statement_new();
    if (!cursor || !statement) {
        scan->out_of_memory = true;
        free(statement);
        return;
    }
    statement_read(statement, block->data + record->start, record->len);
    statement_release(cursor->statement);
    cursor->statement = statement;
    cursor->parse_id = scan->summary.lines + record->line + 1;
    cursor->exec_id = 0;
    statement->refs++;
    scan->text_of = statement;
    take_text(scan, block, record);
}

static void take_binds_of(struct scan *scan, const struct block *block,
                          const struct record *record, bool first) {
    if (!(scan->want & WANT_BINDS))
        return;
    if (first)
        scan->binds_cursor = record->cursor;
    struct cursor *cursor =
        cursors_find(&scan->sessions.now->cursors, scan->binds_cursor);
    if (cursor && first)
        binds_free(cursor_take_binds(cursor));
    if (cursor && !cursor->binds)
        cursor->binds = calloc(1, sizeof *cursor->binds);
    const char *const at = block->data + record->body;
    scan->out_of_memory |=
        !cursor || !cursor->binds ||
        !binds_read(cursor->binds, at, at + record->body_len);
}

// The cursor stands for the statement that did not parse.
static void take_error_statement(struct scan *scan, const struct block *block,
                                 const struct record *record) {
    if (!record->body_len)
        return;
    take_statement(scan, block, record);
    if (!scan->text_of)
        return;
    statement_end_error(scan->text_of);
    statement_release(scan->text_of);
    scan->text_of = NULL;
    scan->summary.statements--;
}

// Take the facts of a record about those to come.
static void take(struct scan *scan, const struct block *block,
                 const struct record *record) {
    const char *const at = block->data + record->start;
    if (record->kind != TEXT_REST_RECORD && record->kind != LINE_RECORD)
        end_text(scan);
    switch (record->kind) {
    case STATEMENT_RECORD:
        take_statement(scan, block, record);
        break;
    case PARSE_ERROR_CALL:
        take_error_statement(scan, block, record);
        break;
    case TEXT_REST_RECORD:
        take_text(scan, block, record);
        break;
    case BINDS_RECORD:
    case BINDS_REST_RECORD:
        take_binds_of(scan, block, record, record->kind == BINDS_RECORD);
        break;
    case NOTICE_RECORD:
        scan_notice(scan, at, at + record->len);
        break;
    case HEADER_RECORD:
        scan_header(scan, at, at + record->len);
        break;
    }
}

static bool is_row(const struct scan *scan, const struct record *record) {
    switch (row_kind(record)) {
    case LINE_ROW:
        return scan->options.all_lines && record->kind != TEXT_REST_RECORD &&
               record->kind != BINDS_REST_RECORD;
    case PLAN_ROW:
        return scan->options.stats || scan->options.all_lines;
    default:
        return true;
    }
}

static bool same_mode(struct mode one, struct mode other) {
    return one.place == other.place && one.left == other.left &&
           one.may_be_over == other.may_be_over;
}

// A row for each record of the block that is one.
static bool put_rows(struct scan *scan, struct block *block,
                     struct batch *batch) {
    if (!batch_begin(batch, block->count, scan->options.columns,
                     ++scan->batches))
        return false;
    scan->from_client =
        names_find(&block->names, FROM_CLIENT, sizeof FROM_CLIENT - 1);
    for (size_t i = 0; i < block->count && !scan->out_of_memory; i++) {
        struct record *record = &block->record[i];
        take(scan, block, record);
        if (!scan->out_of_memory && is_row(scan, record))
            put_row(scan, batch, record, block->data);
    }
    // The batch outlives the block.
    batch->strings[NAME_STRINGS] = block->names.strings;
    block->names.strings = (struct strings){0};
    return !scan->out_of_memory && !batch->out_of_memory;
}

static bool put_counted(struct scan *scan, struct batch *batch) {
    return tally_into(&scan->tally, batch, scan->options.columns,
                      ++scan->batches);
}

// How many records before a call is counted its slot is fetched into the cache:
// they take about as long as memory does.
enum { RECORDS_AHEAD = 8 };

static bool count_calls(struct scan *scan, struct block *block,
                        struct batch *batch) {
    if (!tally_begin(&scan->tally, &block->names))
        return false;
    for (size_t i = 0; i < block->count && !scan->out_of_memory; i++) {
        struct record *record = &block->record[i];
        if (i + RECORDS_AHEAD < block->count)
            expect_call(scan, record + RECORDS_AHEAD);
        if (record->kind >= PARSE_CALL && record->kind <= LAST_CALL)
            count_call(scan, record);
        else if (record->kind == RUN_RECORD)
            count_run(scan, block, record);
        else
            take(scan, block, record);
    }
    return !scan->out_of_memory &&
           tally_add_counts(&scan->tally, &block->counts) &&
           (!tally_is_full(&scan->tally) || put_counted(scan, batch));
}

unsigned scan_want(const struct scan *scan) {
    if (!(scan->want & WANT_COUNTS))
        return scan->want;
    // Blocks before this one may be taken meanwhile.
    const int64_t clock =
        __atomic_load_n(&scan->summary.clock, __ATOMIC_RELAXED);
    // In other units than microseconds, each time is rounded.
    return !clock ? WANT_COUNTS | WANT_UNIT : clock == 1000 ? WANT_COUNTS : 0;
}

// Whether calls that follow may be in other units than microseconds: they are,
// or the next one tells.
static bool may_be_coarse(const struct scan *scan) {
    return scan->summary.clock > 1000 ||
           (!scan->summary.clock && scan->sessions.now->wall_pending);
}

// Read the block again unless it was read with the right place to begin in.
static void read_well(const struct scan *scan, struct block *block) {
    unsigned want = block->want;
    if (want & WANT_COUNTS && may_be_coarse(scan))
        want = 0;
    if (!same_mode(block->begins, scan->mode) || block->want != want)
        block_read(block, block->data, block->len, scan->mode, want);
}

// The preamble of the file is over.
static void end_preamble(struct scan *scan) {
    if (!scan->has_header)
        kinds_add_all(&scan->kinds, &scan->preamble);
    scan->has_record = true;
}

static void take_kinds(struct scan *scan, const struct block *block) {
    kinds_add_all(scan->has_record ? &scan->kinds : &scan->preamble,
                  &block->preamble);
    scan->has_header |= block->has_header && !scan->has_record;
    if (block->has_record && !scan->has_record)
        end_preamble(scan);
    kinds_add_all(&scan->kinds, &block->kinds);
}

bool scan_block(struct scan *scan, struct block *block, struct batch *batch) {
    if (!block)
        return !scan->options.counted || put_counted(scan, batch);
    read_well(scan, block);
    if (block->out_of_memory ||
        !(scan->options.counted ? count_calls(scan, block, batch)
                                : put_rows(scan, block, batch)))
        return false;
    take_kinds(scan, block);
    scan->mode = block->ends;
    scan->summary.lines += block->lines;
    scan->summary.bytes += (int64_t)block->len;
    return true;
}

void scan_end(struct scan *scan, struct summary *summary) {
    if (!scan->has_record) {
        kinds_add_all(&scan->kinds, &scan->preamble);
        scan->has_record = true;
    }
    sessions_end(&scan->sessions);
    scan->summary.sessions = scan->sessions.ended;
    *summary = scan->summary;
}

void scan_free(struct scan *scan) {
    if (!scan)
        return;
    sessions_free(&scan->sessions);
    tally_free(&scan->tally);
    statement_release(scan->text_of);
    free(scan);
}
