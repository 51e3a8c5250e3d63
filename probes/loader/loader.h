// SPDX-License-Identifier: GPL-2.0-or-later
// Loads the kernel side, and describes it to the rest of the program.
#ifndef POLLTRACE_LOADER_H
#define POLLTRACE_LOADER_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/records.h"
#include "options/options.h"
#include "options/variants.h"

// Programs at fork, exec and exit.
#define MAX_LIVES 3
// Entries and exits of a variant, and window_switch.
#define MAX_CALLS (2 * MAX_PROGRAMS + 1)

struct polltrace;
struct polltrace__bss;
struct bpf_link;
struct bpf_program;

struct probe {
    struct polltrace *skel;
    const struct variant *variant;
    bool cast;      // kernel memory is read directly
    bool off_cpu;   // stacks are of threads wherever they block
    bool mapped;    // the arrays below are the kernel's own memory, else copies
    bool unwinding; // stacks by unwind tables, else by frame pointers
    // The arrays of the unwind tables; 0 rows: none.
    uint32_t unwind_rows, unwind_pages, unwind_layouts;
    struct bpf_program *life[MAX_LIVES]; // attached to the end
    struct bpf_program *call[MAX_CALLS]; // attached by `link` now and then
    struct bpf_link *link[MAX_CALLS];
    unsigned lives, calls, links;
    struct bucket *buckets; // see shared.h
    struct slot *slots;
    struct cpu *cpu;
    struct polltrace__bss *globals;
    uint32_t rows; // buckets; a power of two
    uint32_t cpus;
    int claims_fd, endpoints_fd, stacks_fd, sites_fd, syscalls_fd, times_fd;
    int bursts_fd, kernel_stacks_fd, threads_fd, off_times_fd, off_totals_fd;
};

// The best variant that the kernel takes, or the one asked for. Ends the
// program with a message when it cannot.
void probe_load(struct probe *probe, const struct options *options);

// One variant, and nothing but its programs; an error number below 0 when the
// kernel does not take it.
int probe_try_load(struct probe *probe, const struct options *options,
                   const struct variant *variant);

uint64_t probe_lost(const struct probe *probe, enum lost_kind kind);

#endif
