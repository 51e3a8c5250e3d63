// SPDX-License-Identifier: GPL-2.0-or-later
// The scan of one trace file, block after block: the interface for polltrace.
//
// block_read finds the records of a block by itself, so blocks are read side
// by side; scan_block then takes them in the order of the file.
#pragma once

#include "batch.h"
#include "block.h"
#include "session.h"

struct scan_options {
    uint64_t columns;  // a bit for each column
    int64_t think_us;  // a wait for the client that is longer ends an
                       // experience
    int64_t clock;     // of tim, e, ela: 1000 or 1024 ns a unit; 0: found out
    int32_t all_lines; // a row for every line
    int32_t stats;     // a row for every STAT
    int32_t counted;   // a row for all calls of a name and duration: name,
                       // kind, dur_us and times
    int32_t top;       // no recursive calls, where calls are counted
};

enum { LONGEST_VERSION = 64, LONGEST_NAME = 256 };

// The figures of a whole file.
struct summary {
    int64_t bytes, lines, calls, waits, statements;
    int64_t least_depth;           // of its calls; -1: there is none
    int64_t first_wall, last_wall; // us since 1970, of its timestamps; 0: none
    int64_t clock;                 // ns a unit, as it was taken
    int64_t clock_measured; // ns a unit between the first timestamp and the
                            // last; 0: they are less than 10 s apart
    int64_t out_of_range, negative; // numbers that were left out, or set to 0
    int64_t limited, continued_from, continues_in; // 1 where a line says so
    int64_t untimed_waits, untimed_errors; // records whose time is not known
    char version[LONGEST_VERSION], node[LONGEST_NAME], instance[LONGEST_NAME];
    struct session_totals sessions;
};

struct scan;

struct scan *scan_new(const struct scan_options *options);

// The records that block_read is to find, of enum want. Any thread may call it.
unsigned scan_want(const struct scan *scan);

// Make `batch` of the records of `block`, which is read once more where it was
// read as beginning elsewhere than the blocks before it ended. Counted calls
// are kept for a later batch until they are many; with NULL, after the last
// block, they are all. False where there is no memory.
bool scan_block(struct scan *scan, struct block *block, struct batch *batch);

// After the last block.
void scan_end(struct scan *scan, struct summary *summary);

void scan_free(struct scan *scan);
