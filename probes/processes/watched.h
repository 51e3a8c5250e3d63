// SPDX-License-Identifier: GPL-2.0-or-later
// The loader's side of the slots: which processes are watched.
#ifndef POLLTRACE_WATCHED_H
#define POLLTRACE_WATCHED_H

#include <stdbool.h>
#include <stdint.h>

#include "loader/loader.h"
#include "processes/window_sums.h"

// A slot comes FREE > PENDING > KEPT > GONE > RETIRED > FREE; a process that
// the filter does not want goes from PENDING to RETIRED.
enum stage {
    STAGE_FREE,
    STAGE_PENDING, // taken in by the kernel side, the filter has not decided
    STAGE_KEPT,
    STAGE_GONE,    // ended; its counts stand
    STAGE_RETIRED, // out of sight of the kernel side, to be wiped
};

// The state of a process when it was last printed: shows whether it has done
// anything since.
struct printed {
    uint64_t cpu_ns, polls; // CPU time; polls of any kind
    uint32_t stage;         // enum stage
    uint32_t burst;         // whether its calls were final
};

// Of one process: from behind its first break poll within a burst to its last,
// so that calls / polls has no end effects.
struct calls {
    bool done;              // the figures are final
    unsigned bursts;        // so far
    uint64_t breaks_before; // break polls at the last check
    uint64_t calls, polls;  // from the first break poll of a burst to its last
    uint64_t seen;          // all calls
    uint64_t ns;            // the uprobe was in place
    const char *error;      // why there are no figures
};

struct process {
    enum stage stage;
    bool announced; // its process record was printed
    bool exit_reported;
    bool polled;            // its pidfd is waited for
    uint32_t execs;         // of it when it was last announced or tested
    uint64_t mappings;      // signature of those that were last printed
    uint32_t misses;        // walks that had left them by then
    uint64_t maps_again_ns; // when they may be looked at again
    bool files_hang;        // its mappings or their files did not answer
    uint64_t settled_ns;    // its libraries are mapped by then
    int pid;                // in our PID namespace
    int pidfd;
    uint64_t since_ns; // when we first saw it
    uint64_t ended_ns;
    uint64_t start_ticks;
    uint64_t cpu_before_ns; // used before we attached
    uint64_t cpu_ns;        // last seen
    uint64_t stride_ns,
        stride_polls; // time and polls when the stride was checked
    struct printed printed;
    struct window_sums windows;
    struct calls calls;
};

struct watched {
    const struct options *options;
    struct probe *probe;
    struct process *process; // by slot
    uint32_t slots;
    uint32_t alive;   // kept and not gone
    uint32_t retired; // to be wiped
    double stolen;    // steal's share of the windows' CPU time, 0 to 1
    uint32_t blocks;  // of histograms
    bool *block_used;
};

void watched_init(struct watched *watched, struct probe *probe,
                  const struct options *options);

// Takes a running process in; false when it is not there (any more).
bool watched_add(struct watched *watched, int pid);

// Takes in all running processes that the filter wants.
void watched_add_all(struct watched *watched);

// CPU time and polls are reported from here on.
void watched_start(struct watched *watched);

// Finds processes that the kernel side took in, and those that ended.
void watched_scan(struct watched *watched, uint64_t now_ns);

// Takes a process out of the kernel side's sight.
void watched_retire(struct watched *watched, uint32_t slot);

// Frees the retired slots; their map entries must be gone already.
void watched_wipe(struct watched *watched);

uint64_t watched_cpu_ns(struct watched *watched, uint32_t slot);

// Counts from the slot alone.
uint64_t slot_breaks(const struct slot *slot);
uint64_t slot_others(const struct slot *slot);

#endif
