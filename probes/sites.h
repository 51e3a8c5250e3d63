// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef POLLTRACE_SITES_H
#define POLLTRACE_SITES_H

#include <stdint.h>

#define MAX_SITES 32
#define MAX_SEGMENTS 16
#define BUILD_ID_SIZE 32

struct site {
    uint64_t after; // address behind the syscall instruction, as linked
    int32_t offset; // of the return address from rsp, or SITE_FRAME_POINTER
};

struct segment {
    uint64_t address, offset, size;
};

// What one mapped ELF file says about itself.
struct elf_sites {
    struct segment segment[MAX_SEGMENTS];
    unsigned segments;
    struct site site[MAX_SITES];
    unsigned sites;
    uint8_t build_id[BUILD_ID_SIZE];
    unsigned build_id_size;
};

// Reads the program headers and build-id; 0, or -1 when this is no x86-64 ELF.
int elf_read_layout(int fd, struct elf_sites *elf);

// Adds the system calls in poll and its like, from the symbol tables and
// .eh_frame. Never fails: a damaged file has no sites.
void elf_read_sites(int fd, struct elf_sites *elf);

#endif
