// SPDX-License-Identifier: GPL-2.0-or-later
// Makes the unwind table of an ELF file from its .eh_frame. Input is hostile:
// time and memory are bounded by the limits given.
#ifndef POLLTRACE_UNWIND_TABLE_H
#define POLLTRACE_UNWIND_TABLE_H

#include <stdint.h>

#include "kernel/unwind.h"
#include "readers/cfi_cursor.h"
#include "readers/elf_file.h"

enum table_result {
    TABLE_MADE,
    TABLE_NO_RULES,  // no .eh_frame, or none that can be read
    TABLE_TOO_LARGE, // more than the limits allow
};

struct unwind_table {
    uint64_t first; // link address of the first page
    uint32_t pages;
    uint32_t *page; // of each page the index of its first row, and the end
    uint64_t *row;
    uint32_t rows;
};

// A table has no more rows and pages, and is made from no more bytes.
#define MAX_EH_FRAME (256ull << 20)
#define MAX_TABLE_ROWS (1u << 26)
#define MAX_TABLE_PAGES (1u << 20)

// Code at the link addresses [from, to).
struct code_span {
    uint64_t from, to;
};

enum table_result unwind_table_read(int fd, struct unwind_table *table);

// The same from a section in memory.
enum table_result unwind_table_make(const struct eh_frame *section,
                                    struct code_span code,
                                    struct unwind_table *table);

// Where a file has its .eh_frame; without `data`.
bool unwind_find_section(int fd, struct eh_frame *section, uint64_t *offset);

void unwind_table_free(struct unwind_table *table);

#endif
