// SPDX-License-Identifier: GPL-2.0-or-later
// Reads ELF files that belong to the user of the process: every number in them
// is checked, and everything is read with pread (a mapping would raise SIGBUS
// if the file were truncated at the same time).
#ifndef POLLTRACE_ELF_FILE_H
#define POLLTRACE_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_SEGMENTS 16
#define BUILD_ID_SIZE 32

struct segment {
    uint64_t address, offset, size;
    uint32_t flags; // PF_X and its like
};

// The loadable segments of a file, and its build-id.
struct elf_layout {
    struct segment segment[MAX_SEGMENTS];
    unsigned segments;
    uint64_t unwind_index; // file offset of .eh_frame_hdr, 0: none
    uint64_t unwind_address;
    uint8_t build_id[BUILD_ID_SIZE];
    unsigned build_id_size;
};

// The section headers; `section` is to be freed.
struct elf_file {
    int fd;
    Elf64_Shdr *section;
    unsigned sections;
    unsigned names; // which section names the others
};

bool elf_read_at(int fd, void *into, size_t size, uint64_t offset);

// A part of the file in memory of its own; NULL for none and for too much.
void *elf_load(int fd, uint64_t offset, uint64_t size);
void *elf_load_up_to(int fd, uint64_t offset, uint64_t size, uint64_t most);

// 0, or -1 when this is no x86-64 ELF.
int elf_read_layout(int fd, struct elf_layout *layout);

// The link address of a file offset; false when the offset is not mapped.
bool elf_address_of(const struct elf_layout *layout, uint64_t offset,
                    uint64_t *address);

bool elf_load_sections(struct elf_file *file);

#endif
