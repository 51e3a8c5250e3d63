// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef POLLTRACE_OPTIONS_H
#define POLLTRACE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#define MAX_FUNCTIONS 8

// Exit codes, as --help documents them.
enum {
    EXIT_OK = 0,
    EXIT_USAGE = 2,
    EXIT_NOT_PERMITTED = 3,
    EXIT_KERNEL = 4,
    EXIT_NO_PROCESS = 5,
    EXIT_ATTACH = 6,
};

enum mode { MODE_COUNT, MODE_WATCH, MODE_TIME, MODE_SYSCALLS };

struct function {
    const char *path;
    uint64_t offset; // in the file, of its first instruction
};

struct options {
    int *pids;
    unsigned pid_count;
    enum mode mode;
    const char *variant; // NULL: the best that the kernel takes
    uint64_t interval_ns;
    uint64_t duration_ns;  // 0: until told
    unsigned stack_stride; // 0: no stacks at break polls
    bool stack_auto;       // it follows the pace
    bool no_stacks;        // watch mode: no on-CPU samples
    bool kernel;           // the kernel's part of stacks as well
    bool changed;          // frames leave out who did nothing
    unsigned stack_depth;
    unsigned max_processes;
    unsigned max_stacks;
    unsigned max_histograms;
    unsigned sample_hz;     // watch mode: on-CPU samples, per CPU
    uint64_t window_ns;     // watch mode: a counting window
    uint64_t window_gap_ns; // and the mean time between two
    const char *pattern;    // processes by name
    const char *cgroup;     // processes by cgroup directory
    struct function function[MAX_FUNCTIONS]; // whose calls are counted
    unsigned functions;
    uint64_t burst_calls; // and for how long
    uint64_t burst_ns;
    bool follow;
    bool own_cost;
    bool plain_reads;
    bool no_mmap;
    bool no_seccomp;
    bool list_variants;
    char **argv;
    int argc;
};

// Ends the program by itself on a mistake, --help and --version.
void parse_options(struct options *options, int argc, char **argv);

// At break polls or on the CPU.
bool options_want_stacks(const struct options *options);

// A map's size: kernel stacks are numbered by 16 bits.
uint32_t most_kernel_stacks(const struct options *options);

extern const char *const MODE_NAMES[];

// "polltrace-probe: …" on stderr, then ends the program.
_Noreturn void fail(int code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
