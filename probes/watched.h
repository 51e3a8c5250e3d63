// SPDX-License-Identifier: GPL-2.0-only
// The loader's side of the slots: which processes are watched.
#ifndef POLLTRACE_WATCHED_H
#define POLLTRACE_WATCHED_H

#include <stdbool.h>
#include <stdint.h>

#include "loader.h"

struct process {
    bool used;      // the slot is ours to report
    bool announced; // its process record was printed
    bool gone;
    bool exit_reported;
    uint32_t execs;
    int pid; // in our PID namespace
    int pidfd;
    bool polled;
    uint64_t start_ticks;
    uint64_t cpu_before_ns; // used before we attached
    uint64_t cpu_ns;        // last seen
};

struct watched {
    struct probe *probe;
    struct process *process; // by slot
    uint32_t slots;
    uint32_t alive, count;
};

void watched_init(struct watched *watched, struct probe *probe);

// Takes a running process in; false when it is not there (any more).
bool watched_add(struct watched *watched, int pid);

// What the processes used so far is not ours to report.
void watched_start(struct watched *watched);

// Looks for processes the kernel side took in, and for ends.
void watched_scan(struct watched *watched);

// Frees the slot of a process that is gone and reported.
void watched_release(struct watched *watched, uint32_t slot);

uint64_t watched_cpu_ns(struct watched *watched, uint32_t slot);

#endif
