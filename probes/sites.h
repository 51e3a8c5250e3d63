// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef POLLTRACE_SITES_H
#define POLLTRACE_SITES_H

#include <stdint.h>

#include "elf_file.h"
#include "records.h"

#define MAX_SITES 32

struct site {
    uint64_t after; // address behind the syscall instruction, as linked
    struct site_rule rule;
};

// What one mapped ELF file says about itself.
struct elf_sites {
    struct elf_layout layout;
    struct site site[MAX_SITES];
    unsigned sites;
};

// Adds, to a layout that was read, the system calls in poll and its like, from
// the symbol tables and .eh_frame. Never fails: a damaged file has no sites.
void elf_read_sites(int fd, struct elf_sites *elf);

#endif
