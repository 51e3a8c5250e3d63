// SPDX-License-Identifier: GPL-2.0-only
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
    struct snapshot endpoints, stacks, syscalls;
    struct json json;
    uint64_t attached_ns; // CLOCK_MONOTONIC
    uint64_t frames, late_frames;
};

void report_init(struct reporter *reporter, const struct options *options,
                 struct probe *probe, struct watched *watched);
void report_header(struct reporter *reporter);
void report_processes(struct reporter *reporter); // new ones
void report_frame(struct reporter *reporter, bool final);
void report_exits(struct reporter *reporter);
void report_trailer(struct reporter *reporter, const char *reason);

uint64_t monotonic_ns(void);

#endif
