// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef POLLTRACE_SITES_H
#define POLLTRACE_SITES_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/records.h"
#include "readers/elf_file.h"

#define MAX_SITES 96

struct site {
    uint64_t after; // link address after the syscall instruction
    struct site_rule rule;
};

// The data read from one mapped ELF file.
struct elf_sites {
    struct elf_layout layout;
    struct site site[MAX_SITES];
    unsigned sites;
};

// Adds, to a layout that was read, the system calls in poll and its like, or in
// all functions that a server is likely to block in, from the symbol tables and
// .eh_frame. Never fails: a damaged file has no sites.
void elf_read_sites(int fd, struct elf_sites *elf, bool all);

#endif
