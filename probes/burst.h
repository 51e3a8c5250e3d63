// SPDX-License-Identifier: GPL-2.0-or-later
// Calls of a user function per break poll, counted for a moment. A uprobe is
// a breakpoint that the kernel writes into the process's own copy of the page;
// each call then costs a microsecond, so it is there briefly and only once the
// process was seen to poll. The kernel takes it out when its descriptor is
// closed, however this process ends.
#ifndef POLLTRACE_BURST_H
#define POLLTRACE_BURST_H

#include <stdbool.h>
#include <stdint.h>

// Of one process: from behind its first break poll within a burst to its last,
// so that calls / polls has no end effects.
struct calls {
    bool done; // the figures stand
    unsigned bursts;
    uint64_t breaks_before; // break polls when last looked at
    uint64_t calls, polls;
    uint64_t seen;     // all calls
    uint64_t ns;       // the breakpoint was there
    const char *error; // why there are no figures
};

struct options;
struct reporter;

// Checks that functions begin where the options say.
void bursts_check(const struct options *options);

// Before the privileges are given up.
void bursts_prepare(const struct reporter *reporter);

// Begins and ends bursts; when it wants to be called again, UINT64_MAX: never.
uint64_t bursts_step(struct reporter *reporter, uint64_t now);

// Whether one is under way.
bool bursts_run(void);

// Ends those under way; what they saw is kept.
void bursts_end(struct reporter *reporter);

#endif
