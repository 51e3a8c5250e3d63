// SPDX-License-Identifier: GPL-2.0-or-later
// The sources of all records, and how each record begins and ends.
#ifndef POLLTRACE_REPORTER_H
#define POLLTRACE_REPORTER_H

#include <stdint.h>

#include "loader/loader.h"
#include "loader/snapshot.h"
#include "measurement/off_cpu.h"
#include "output/json.h"
#include "processes/watched.h"

struct reporter {
    const struct options *options;
    struct probe *probe;
    struct watched *watched;
    struct snapshot endpoints, stacks, kernel_stacks, syscalls;
    struct off_cpu off_cpu;
    struct times *times; // room for one process's histograms
    struct json json;
    uint64_t attached_ns; // CLOCK_MONOTONIC
    uint64_t frames, late_frames, late_windows;
    double cost_ns; // watch mode: of counting one poll
};

bool wants_stacks(const struct reporter *reporter);
void record_begin(struct reporter *reporter, const char *type);
void record_end(struct reporter *reporter);
void record_identity(struct json *json, const struct process *process);

#endif
