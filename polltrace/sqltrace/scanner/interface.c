// SPDX-License-Identifier: GPL-2.0-or-later
#include "interface.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "scan_state.h"

enum { KEPT_BYTES = 32 << 20 };

int32_t sqltrace_version(void) {
    return INTERFACE_VERSION;
}

size_t sqltrace_summary_size(void) {
    return sizeof(struct summary);
}

// The name of a column; NULL behind the last.
const char *sqltrace_column(size_t index) {
    static const char *const NAMES[] = {
#define NAMED(name, ...) #name,
        FIELD_COLUMNS(NAMED) OTHER_COLUMNS(NAMED) INDEX_COLUMNS(NAMED)
#undef NAMED
    };
    return index < COLUMNS ? NAMES[index] : NULL;
}

// Batches come and go: giving their memory back to the kernel each time would
// cost more than filling them.
__attribute__((constructor)) static void keep_memory(void) {
    mallopt(M_MMAP_THRESHOLD, KEPT_BYTES);
    mallopt(M_TRIM_THRESHOLD, 4 * KEPT_BYTES);
}

struct scan *sqltrace_open(const struct scan_options *options) {
    return scan_new(options);
}

void sqltrace_close(struct scan *scan) {
    scan_free(scan);
}

struct block *sqltrace_block_new(void) {
    return calloc(1, sizeof(struct block));
}

void sqltrace_block_delete(struct block *block) {
    if (block)
        block_free(block);
    free(block);
}

size_t sqltrace_read(const struct scan *scan, struct block *block,
                     const char *data, size_t len) {
    block_read(block, data, len, block_guess(data, len), scan_want(scan));
    return block->count;
}

struct window *sqltrace_window_new(void) {
    return window_new();
}

size_t sqltrace_window_move(struct window *window, int file, int64_t at,
                            size_t most) {
    return window_move(window, file, at, most);
}

const char *sqltrace_window_data(const struct window *window) {
    return window_data(window);
}

int32_t sqltrace_window_is_torn(const struct window *window) {
    return window_is_torn(window);
}

void sqltrace_window_delete(struct window *window) {
    window_free(window);
}

struct batch *sqltrace_batch(struct scan *scan, struct block *block) {
    struct batch *batch = calloc(1, sizeof *batch);
    if (batch && scan_block(scan, block, batch))
        return batch;
    sqltrace_batch_delete(batch);
    return NULL;
}

void sqltrace_batch_delete(struct batch *batch) {
    if (batch)
        batch_free(batch);
    free(batch);
}

static void leave_out(struct scan *scan, const char *kind, int64_t bytes) {
    kinds_add(&scan->kinds, kind, strlen(kind), 1);
    scan->summary.lines++;
    scan->summary.bytes += bytes;
}

void sqltrace_pass_line(struct scan *scan, int64_t bytes) {
    leave_out(scan, "(line too long)", bytes);
}

void sqltrace_cut_line(struct scan *scan, int64_t bytes) {
    leave_out(scan, "(cut line)", bytes);
}

int64_t sqltrace_last_tim(const struct scan *scan) {
    return scan->raw_tim;
}

int64_t sqltrace_rows(const struct batch *batch) {
    return (int64_t)batch->rows;
}

const void *sqltrace_values(const struct batch *batch, size_t column) {
    return column < COLUMNS ? batch->number[column] : NULL;
}

const uint8_t *sqltrace_valid(const struct batch *batch, size_t column) {
    return column < COLUMNS ? batch->valid[column] : NULL;
}

int64_t sqltrace_strings(const struct batch *batch, size_t table,
                         const int32_t **offsets, const char **bytes) {
    if (table >= STRING_TABLES)
        return 0;
    *offsets = batch->strings[table].offset;
    *bytes = batch->strings[table].bytes;
    return (int64_t)batch->strings[table].count;
}

int64_t sqltrace_binds(const struct batch *batch, const int32_t **begin,
                       const int16_t **types, const uint8_t **valid) {
    *begin = batch->bind_begin;
    *types = batch->bind_type;
    *valid = batch->bind_valid;
    return (int64_t)batch->binds;
}

void sqltrace_end(struct scan *scan, struct summary *summary) {
    scan_end(scan, summary);
}

int64_t sqltrace_kind(const struct scan *scan, size_t index,
                      const char **name) {
    if (index >= scan->kinds.count)
        return 0;
    *name = scan->kinds.kind[index].name;
    return (int64_t)scan->kinds.kind[index].lines;
}
