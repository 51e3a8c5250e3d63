// SPDX-License-Identifier: GPL-2.0-or-later
// The records on standard output; frames.schema.json specifies them.
#ifndef POLLTRACE_FRAMES_H
#define POLLTRACE_FRAMES_H

#include "output/reporter.h"

void report_init(struct reporter *reporter, const struct options *options,
                 struct probe *probe, struct watched *watched);
void report_header(struct reporter *reporter);
void report_frame(struct reporter *reporter, bool final);
void report_trailer(struct reporter *reporter, const char *reason);

// Deletes the map entries of processes whose slots are to be freed.
void report_reap(struct reporter *reporter);

#endif
