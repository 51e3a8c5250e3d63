// SPDX-License-Identifier: GPL-2.0-or-later
// The state of a scan, shared by the parts of it.
#pragma once

#include "scan.h"
#include "tally.h"

struct scan {
    struct scan_options options;
    unsigned want; // of block_read
    struct mode mode;
    struct sessions sessions;
    struct summary summary;
    struct kinds kinds;
    // Lines before the first record of the file. They are its header if one of
    // them is known to be: releases differ in these lines.
    struct kinds preamble;
    bool has_header, has_record;
    struct tally tally;
    uint32_t batches;
    int64_t binds_cursor;      // that the last BINDS was for
    struct statement *text_of; // that is not at its end
    // Of the first timestamp and of the last: the clock and the time of day.
    int64_t first_tim, last_tim;
    int64_t raw_tim;     // of the record that was read last
    int32_t from_client; // that wait among the names of the block
    bool out_of_memory;
};

// A record that tells who the next ones are of, or when.
void scan_notice(struct scan *scan, const char *at, const char *end);
// The unit of time that the release in the header has, if one is known.
void scan_release_unit(struct scan *scan);
void scan_header(struct scan *scan, const char *at, const char *end);
