// SPDX-License-Identifier: GPL-2.0-or-later
// The library's functions, for a caller that knows no struct of C but
// scan_options and summary. All pointers are opaque to it.
#pragma once

#include "scan.h"
#include "window.h"

#pragma GCC visibility push(default)

// Raised where a function or a column changes its meaning.
enum { INTERFACE_VERSION = 5 };

int32_t sqltrace_version(void);
size_t sqltrace_summary_size(void);
const char *sqltrace_column(size_t index);

struct scan *sqltrace_open(const struct scan_options *options);
void sqltrace_close(struct scan *scan);

struct block *sqltrace_block_new(void);
void sqltrace_block_delete(struct block *block);

// Find the records of [data, data + len), which ends with a newline and is
// followed by BLOCK_PADDING readable bytes, and return how many they are. Any
// thread may do it.
size_t sqltrace_read(const struct scan *scan, struct block *block,
                     const char *data, size_t len);

// See window.h.
struct window *sqltrace_window_new(void);
size_t sqltrace_window_move(struct window *window, int file, int64_t at,
                            size_t most);
const char *sqltrace_window_data(const struct window *window);
int32_t sqltrace_window_is_torn(const struct window *window);
void sqltrace_window_delete(struct window *window);

// The rows of the block, in the order of the file; counted calls that are left,
// where `block` is NULL. NULL: no memory.
struct batch *sqltrace_batch(struct scan *scan, struct block *block);
void sqltrace_batch_delete(struct batch *batch);

// A line of `bytes` that was too long for a block and is left out.
void sqltrace_pass_line(struct scan *scan, int64_t bytes);

// The last line of a file that ends in the middle of it is left out.
void sqltrace_cut_line(struct scan *scan, int64_t bytes);

// tim of the record that was read last, as it was written; 0: there is none.
int64_t sqltrace_last_tim(const struct scan *scan);

int64_t sqltrace_rows(const struct batch *batch);
// The values of a column, and its bits of validity; NULL where not wanted.
const void *sqltrace_values(const struct batch *batch, size_t column);
const uint8_t *sqltrace_valid(const struct batch *batch, size_t column);
// A table of strings: its count, offsets and bytes.
int64_t sqltrace_strings(const struct batch *batch, size_t table,
                         const int32_t **offsets, const char **bytes);
// Binds: how many values, where each row's begin, their types and validity.
int64_t sqltrace_binds(const struct batch *batch, const int32_t **begin,
                       const int16_t **types, const uint8_t **valid);

void sqltrace_end(struct scan *scan, struct summary *summary);
// The kinds of lines that were not understood: name and lines of the i-th,
// after sqltrace_end; 0 lines: there is none.
int64_t sqltrace_kind(const struct scan *scan, size_t index, const char **name);

#pragma GCC visibility pop
