// SPDX-License-Identifier: GPL-2.0-or-later
// One input is a trace file, after a byte with the wanted records and one with
// the length of its blocks. A library that Python loads must not touch memory
// that is not its own, must not overflow, and must end, whatever the input.
//
// Half of the inputs are libFuzzer's own, which changes little at a time. In
// the others up to an eighth of all bytes are damaged. FUZZ_BYTES=N in the
// environment: end when N have been.
#define _GNU_SOURCE // memfd_create
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../interface.h"
#include "check.h"
#include "damage.h"
#include "mapped.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
                               unsigned seed);

static void count_damaged(uint64_t bytes) {
    static uint64_t damaged, inputs;
    const char *wanted = getenv("FUZZ_BYTES");
    damaged += bytes;
    inputs++;
    if (!wanted || damaged < strtoull(wanted, NULL, 10))
        return;
    printf("fuzz: %llu bytes damaged in %llu inputs, nothing found\n",
           (unsigned long long)damaged, (unsigned long long)inputs);
    fflush(NULL);
    _Exit(0);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
                               unsigned seed) {
    uint64_t state = seed + 1ull;
    if (next_random(&state) % 2 || size < 8)
        return LLVMFuzzerMutate(data, size, most);
    const uint64_t bytes = 1 + next_random(&state) % (size / 8);
    damage(data, size, bytes, &state);
    count_damaged(bytes);
    return size;
}

static void scan_data(struct scan *scan, struct block *block, const char *data,
                      size_t len) {
    sqltrace_read(scan, block, data, len);
    struct batch *batch = sqltrace_batch(scan, block);
    if (!batch)
        abort();
    check_strings(batch);
    sqltrace_batch_delete(batch);
}

static void scan_copy(struct scan *scan, struct block *block, const char *part,
                      size_t len) {
    // A copy of its own, so that ASan sees where it ends.
    char *copy = malloc(len + BLOCK_PADDING);
    memcpy(copy, part, len);
    memset(copy + len, 0, BLOCK_PADDING);
    scan_data(scan, block, copy, len);
    free(copy);
}

enum { BEFORE = 8000 }; // so that a window begins within a page

// In a window on a file, which has `left` bytes only when its lines are read:
// in its pages that are gone, and behind them, there are zeros.
static void scan_window(struct scan *scan, struct block *block,
                        const char *part, size_t len, size_t left) {
    static char text[BEFORE + (1 << 16)];
    memset(text, '\n', BEFORE);
    memcpy(text + BEFORE, part, len);
    const int file = file_of(text, BEFORE + len);
    struct window *const window = shown(file, BEFORE, len);
    if (ftruncate(file, (off_t)left) != 0)
        abort();
    scan_data(scan, block, sqltrace_window_data(window), len);
    if (sqltrace_window_is_torn(window) != (left < BEFORE + len))
        abort();
    sqltrace_window_delete(window);
    close(file);
}

static void scan_part(struct scan *scan, struct block *block, const char *part,
                      size_t len, unsigned how) {
    if (!(how & 1) || len > 1 << 15)
        scan_copy(scan, block, part, len);
    else // of each two, one that loses pages
        scan_window(scan, block, part, len,
                    how & 2 ? BEFORE + len - len * (how >> 2) / 4
                            : BEFORE + len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 3)
        return 0;
    const struct scan_options options = {
        .columns = ~0ull >> (64 - COLUMNS),
        .think_us = 1000000,
        .all_lines = data[0] & 1,
        .stats = data[0] & 2,
        .counted = data[0] & 4,
        .top = data[0] & 8,
    };
    struct scan *scan = sqltrace_open(&options);
    struct block *block = sqltrace_block_new();
    // A few blocks: each has every column, which takes time.
    const size_t least = data[1] ? 16u * data[1] + size / 4 : size;
    // A file's last line has an end when it comes here.
    char *text = malloc(size);
    size_t len = size - 2;
    memcpy(text, data + 2, len);
    if (text[len - 1] != '\n')
        text[len++] = '\n';
    for (size_t at = 0, part; at < len; at += part) {
        part = part_length(text + at, len - at, least);
        scan_part(scan, block, text + at, part, data[0] >> 4);
    }
    struct batch *rest = sqltrace_batch(scan, NULL);
    if (!rest)
        abort();
    check_strings(rest);
    sqltrace_batch_delete(rest);
    check_kinds(scan);
    struct summary summary;
    sqltrace_end(scan, &summary);
    if (summary.bytes != (int64_t)len)
        abort();
    sqltrace_block_delete(block);
    sqltrace_close(scan);
    free(text);
    return 0;
}
