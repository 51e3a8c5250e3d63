// SPDX-License-Identifier: GPL-2.0-or-later
// Where the threads of the watched processes are while they are not on a CPU.
#ifndef POLLTRACE_OFF_CPU_H
#define POLLTRACE_OFF_CPU_H

#include "loader/snapshot.h"
#include "processes/watched.h"

struct off_cpu {
    struct snapshot threads, times;
    uint64_t *cpu_ns;  // by slot, since the process is followed, at until_ns
    uint64_t until_ns; // CLOCK_MONOTONIC
    bool closed;
};

// Time off CPU, of one stack or of a whole process.
struct off_sum {
    uint64_t on_cpu_ns; // of a whole process alone
    uint64_t blocked_ns, queued_ns;
    uint64_t before;  // intervals that began before we were attached
    uint32_t open;    // intervals that had not ended
    uint32_t threads; // that are there
    uint64_t alive_ns;
};

#define ALL_STACKS UINT64_MAX

void off_cpu_init(struct off_cpu *off, const struct watched *watched);

// Once the programs are attached: time runs from here on. The first returns
// when that is, and the threads that are there have to be taken in at once.
uint64_t off_cpu_open(struct probe *probe);
void off_cpu_seed(struct probe *probe);

// Time runs no more.
void off_cpu_close(struct off_cpu *off, struct watched *watched);

// Reads all: consistent in itself only when closed.
void off_cpu_read(struct off_cpu *off, struct watched *watched);

// The intervals of a process that have ended and those that have not, with the
// stack of this id or ALL_STACKS.
struct off_sum off_cpu_sum(const struct off_cpu *off, uint32_t slot,
                           uint64_t stack);

// Forgets a stack, and all of the processes that are retired but their stacks.
void off_cpu_delete(const struct off_cpu *off, uint64_t stack);
void off_cpu_wipe(const struct off_cpu *off, const struct watched *watched);

#endif
