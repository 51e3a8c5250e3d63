// SPDX-License-Identifier: GPL-2.0-or-later
// columns ROUNDS FILE…: prints a line for each of ROUNDS damaged copies of each
// file, with a checksum of the columns that the scanner makes of it. `make
// same` compares the lines of a scanner built with vector instructions, of one
// without, of one that reads all lines in the general way, and of one that is
// given windows on a file.
#define _GNU_SOURCE // memfd_create
#include <stdio.h>
#include <stdlib.h>

#include "../interface.h"
#include "damage.h"
#include "mapped.h"

enum { LONGEST = 1 << 16, READ_AHEAD = 3 };

// Any number that another string of bytes most likely does not have (FNV-1a).
static uint64_t mixed(uint64_t hash, const void *data, size_t size) {
    const unsigned char *byte = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ byte[i]) * 0x100000001b3;
    return hash;
}

static uint64_t with_text(uint64_t hash, const struct batch *batch,
                          size_t table, size_t index) {
    const int32_t *offset;
    const char *bytes;
    sqltrace_strings(batch, table, &offset, &bytes);
    const int32_t len = offset[index + 1] - offset[index];
    return mixed(mixed(hash, &len, sizeof len), bytes + offset[index],
                 (size_t)len);
}

static uint64_t with_value(uint64_t hash, const struct batch *batch,
                           size_t column, size_t row) {
    const uint8_t *const valid = sqltrace_valid(batch, column);
    const void *const values = sqltrace_values(batch, column);
    if (!values || !(valid[row / 8] >> row % 8 & 1))
        return mixed(hash, "-", 1);
    if (column < COLUMN_name)
        return mixed(hash, (const int64_t *)values + row, sizeof(int64_t));
    // A name that is no UTF-8 may be in the table twice.
    const int32_t index = ((const int32_t *)values)[row];
    return column == COLUMN_name
               ? with_text(hash, batch, NAME_STRINGS, (size_t)index)
               : mixed(hash, &index, sizeof index);
}

static uint64_t with_binds(uint64_t hash, const struct batch *batch) {
    const int32_t *begin;
    const int16_t *types;
    const uint8_t *valid;
    const size_t count = (size_t)sqltrace_binds(batch, &begin, &types, &valid);
    if (begin)
        hash = mixed(hash, begin,
                     ((size_t)sqltrace_rows(batch) + 1) * sizeof *begin);
    for (size_t i = 0; i < count; i++) {
        hash = mixed(hash, types + i, sizeof *types);
        hash = mixed(hash, valid[i / 8] >> i % 8 & 1 ? "+" : "-", 1);
    }
    return hash;
}

// Counted calls come in any order, and a name that is there twice is two rows.
static uint64_t of_counted(const struct batch *batch) {
    static const uint64_t begin = 0xcbf29ce484222325;
    uint64_t sum = 0;
    for (size_t row = 0; row < (size_t)sqltrace_rows(batch); row++) {
        uint64_t hash = with_value(begin, batch, COLUMN_name, row);
        hash = with_value(hash, batch, COLUMN_kind, row);
        hash = with_value(hash, batch, COLUMN_dur_us, row);
        const int64_t *times = sqltrace_values(batch, COLUMN_times);
        sum += hash * (uint64_t)times[row];
    }
    return sum;
}

static uint64_t of_rows(uint64_t hash, const struct batch *batch) {
    for (size_t row = 0; row < (size_t)sqltrace_rows(batch); row++)
        for (size_t column = 0; column < COLUMN_binds; column++)
            hash = with_value(hash, batch, column, row);
    for (size_t table = NAME_STRINGS + 1; table < STRING_TABLES; table++) {
        const int32_t *offset;
        const char *bytes;
        const size_t count =
            (size_t)sqltrace_strings(batch, table, &offset, &bytes);
        for (size_t i = 0; i < count; i++)
            hash = with_text(hash, batch, table, i);
    }
    return with_binds(hash, batch);
}

static uint64_t take(uint64_t hash, struct batch *batch, bool counted) {
    if (!batch)
        abort();
    hash = counted ? hash + of_counted(batch) : of_rows(hash, batch);
    sqltrace_batch_delete(batch);
    return hash;
}

static uint64_t of_summary(struct scan *scan, uint64_t hash) {
    struct summary summary;
    sqltrace_end(scan, &summary);
    hash = mixed(hash, &summary, sizeof summary);
    const char *name;
    int64_t lines;
    for (size_t i = 0; (lines = sqltrace_kind(scan, i, &name)); i++)
        hash = mixed(mixed(hash, name, strlen(name)), &lines, sizeof lines);
    return hash;
}

static struct scan_options options_of(uint64_t bits) {
    struct scan_options options = {
        .columns = ~0ull >> (64 - COLUMNS),
        .think_us = 1000000,
        .all_lines = bits & 1,
        .stats = bits >> 1 & 1,
        .counted = bits >> 2 & 1,
        .top = bits >> 3 & 1,
    };
    if (bits >> 4 & 1) // waits are read in another way without parameters
        options.columns &=
            ~(1ull << COLUMN_p1 | 1ull << COLUMN_p2 | 1ull << COLUMN_p3 |
              1ull << COLUMN_obj | 1ull << COLUMN_binds);
    return options;
}

// Where a block of the text is: in memory of its own, or in a window.
struct part {
    char *copy;
    struct window *window;
    int file;
};

#ifdef MAPPED // as large files are read
static const char *open_part(struct part *part, const char *text, size_t len,
                             size_t at, size_t size, uint64_t bits) {
    (void)bits;
    part->file = file_of(text, len);
    part->window = shown(part->file, at, size);
    return sqltrace_window_data(part->window);
}

static void close_part(struct part *part) {
    if (sqltrace_window_is_torn(part->window))
        abort();
    sqltrace_window_delete(part->window);
    close(part->file);
}
#else
static const char *open_part(struct part *part, const char *text, size_t len,
                             size_t at, size_t size, uint64_t bits) {
    (void)len;
    part->copy = malloc(size + BLOCK_PADDING);
    memcpy(part->copy, text + at, size);
    // The former contents of a block's memory make no difference.
    memset(part->copy + size, "\n= 0"[bits >> 5 & 3], BLOCK_PADDING);
    return part->copy;
}

static void close_part(struct part *part) {
    free(part->copy);
}
#endif

// The columns that the scanner makes of `text`, in blocks of `least` bytes and
// more, which are read one by one or, as threads do it, ahead of those before
// them.
static uint64_t scanned(const char *text, size_t len, size_t least,
                        uint64_t bits) {
    const struct scan_options options = options_of(bits);
    struct scan *scan = sqltrace_open(&options);
    struct block *block[READ_AHEAD];
    struct part part[READ_AHEAD];
    uint64_t hash = 0;
    for (size_t i = 0; i < READ_AHEAD; i++)
        block[i] = sqltrace_block_new();
    const size_t ahead = bits >> 7 & 1 ? READ_AHEAD : 1;
    for (size_t at = 0; at < len;) {
        size_t count = 0;
        for (size_t size; count < ahead && at < len; at += size) {
            size = part_length(text + at, len - at, least);
            const char *const from =
                open_part(&part[count], text, len, at, size, bits);
            sqltrace_read(scan, block[count++], from, size);
        }
        for (size_t i = 0; i < count; i++) {
            hash = take(hash, sqltrace_batch(scan, block[i]), options.counted);
            const int64_t last = sqltrace_last_tim(scan);
            hash = mixed(hash, &last, sizeof last);
            close_part(&part[i]);
        }
    }
    hash = take(hash, sqltrace_batch(scan, NULL), options.counted);
    hash = of_summary(scan, hash);
    for (size_t i = 0; i < READ_AHEAD; i++)
        sqltrace_block_delete(block[i]);
    sqltrace_close(scan);
    return hash;
}

static void print_all(const char *name, long rounds) {
    static char text[LONGEST + 1], copy[LONGEST + 1];
    FILE *const file = fopen(name, "rb");
    size_t len = file ? fread(text, 1, LONGEST, file) : 0;
    if (!len) {
        fprintf(stderr, "columns: cannot read %s\n", name);
        exit(2);
    }
    fclose(file);
    uint64_t state = mixed(0, text, len) | 1;
    for (long round = 0; round < rounds; round++) {
        memcpy(copy, text, len);
        const size_t part = round % 2 ? 8 : 200;
        const uint64_t bytes =
            round ? next_random(&state) % (len / part + 2) : 0;
        damage((uint8_t *)copy, len, bytes, &state);
        copy[len - 1] = '\n';
        const size_t least =
            round % 3 ? 1 + (size_t)next_random(&state) % len : len;
        const uint64_t bits = next_random(&state);
        printf("%s %ld %016lx\n", name, round, scanned(copy, len, least, bits));
    }
}

int main(int count, char **words) {
    for (int i = 2; i < count; i++)
        print_all(words[i], atol(words[1]));
    return count > 2 ? 0 : 2;
}
