// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef POLLTRACE_OPTIONS_H
#define POLLTRACE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/records.h"

#define MAX_FUNCTIONS 8

enum mode { MODE_COUNT, MODE_WATCH, MODE_TIME, MODE_SYSCALLS, MODE_OFF_CPU };

// The calls that are break checks in processes of one executable.
struct rule {
    const char *executable;
    uint32_t calls; // enum check_call
};

struct function {
    const char *path;
    uint64_t offset; // in the file, of its first instruction
};

struct options {
    int *pids;
    unsigned pid_count;
    bool skip_ended; // leave out processes that have ended
    enum mode mode;
    const char *variant;   // NULL: the best that the kernel takes
    uint64_t interval_ns;  // between frames
    uint64_t duration_ns;  // 0: until a signal
    unsigned stack_stride; // 0: no stacks at break polls
    bool stack_auto;       // it adapts to the rate
    bool no_stacks;        // watch mode: no on-CPU samples
    bool kernel;           // the kernel's part of stacks as well
    bool changed;          // frames leave out processes that did nothing
    unsigned stack_depth;  // addresses kept of a stack
    unsigned max_processes;
    unsigned max_stacks;     // different ones
    unsigned unwind_mb;      // of unwind tables; 0: frame pointers alone
    unsigned max_histograms; // processes with histograms of their own
    unsigned sample_hz;      // watch mode: on-CPU samples, per CPU
    uint64_t window_ns;      // watch mode: a counting window
    uint64_t window_gap_ns;  // and the mean time between two
    const char *pattern;     // processes by name
    const char *cgroup;      // processes by cgroup directory
    struct function function[MAX_FUNCTIONS]; // to count the calls of
    unsigned functions;
    struct rule rule[MAX_RULES];
    unsigned rules;
    uint64_t burst_calls; // a burst ends after this many calls
    uint64_t burst_ns;    // and at the latest after this time
    bool follow;          // forks of the processes given
    bool own_cost;        // report the probe's own cost
    bool plain_reads;     // all memory through helpers
    bool no_mmap;         // as if maps could not be mapped
    bool no_seccomp;      // no system-call filter
    bool list_variants;   // only print which variants load
    char **argv;
    int argc;
};

// Ends the program by itself on a mistake, --help and --version.
void parse_options(struct options *options, int argc, char **argv);

// At break polls, on the CPU or off it.
bool options_want_stacks(const struct options *options);

// A map's size: kernel stacks are numbered by 16 bits.
uint32_t max_kernel_stacks(const struct options *options);

// Off-CPU mode: a map's size.
uint32_t max_threads(const struct options *options);

extern const char *const MODE_NAMES[];

#endif
