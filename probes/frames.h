// SPDX-License-Identifier: GPL-2.0-or-later
// The records on standard output; frames.schema.json specifies them.
#ifndef POLLTRACE_FRAMES_H
#define POLLTRACE_FRAMES_H

#include <stdint.h>

#include "json.h"
#include "loader.h"
#include "snapshot.h"
#include "watched.h"

struct reporter {
    const struct options *options;
    struct probe *probe;
    struct watched *watched;
    struct snapshot endpoints, stacks, kernel_stacks, syscalls;
    struct times *times; // room for one process's histograms
    struct json json;
    uint64_t attached_ns; // CLOCK_MONOTONIC
    uint64_t frames, late_frames, late_windows;
    double cost_ns; // watch mode: of counting one poll
};

void report_init(struct reporter *reporter, const struct options *options,
                 struct probe *probe, struct watched *watched);
void report_header(struct reporter *reporter);
void report_frame(struct reporter *reporter, bool final);
void report_trailer(struct reporter *reporter, const char *reason);

// Deletes what the maps hold of processes whose slots are to be freed.
void report_reap(struct reporter *reporter);

bool wants_stacks(const struct reporter *reporter);
void record_begin(struct reporter *reporter, const char *type);
void record_end(struct reporter *reporter);
void record_identity(struct json *json, const struct process *process);

#endif
