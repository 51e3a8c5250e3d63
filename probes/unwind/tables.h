// SPDX-License-Identifier: GPL-2.0-or-later
// The unwind tables of mapped files, in the memory that the BPF programs
// search. Tables that are made before the programs are loaded wait in memory of
// our own, so that the arrays are as large as they have to be.
#ifndef POLLTRACE_TABLES_H
#define POLLTRACE_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "loader/loader.h"
#include "readers/unwind_table.h"

struct placed_table {
    bool read;
    enum unwind_mapped mapped;
    struct unwind_table table; // its rows and pages: until they are placed
    uint32_t page;             // index of its first page in the array
};

// At most this much memory for rows and pages; 0: there are no tables.
void tables_limit(uint64_t bytes);

// Makes the table of an open file, once. Takes seconds at most.
void tables_read(struct placed_table *placed, int fd);

// The table of the vDSO, which is our own as well.
struct placed_table *tables_vdso(void);

// How large the arrays of the programs have to be; `spare`: for tables that are
// made later.
void tables_size(struct probe *probe, bool spare);

// Once the programs are loaded: places the tables made so far.
void tables_open(struct probe *probe);

// The page of a file for code at `address`, as linked.
uint32_t tables_page(const struct placed_table *placed, uint64_t address);

// Files whose table did not fit, and bytes in use.
unsigned tables_refused(void);
uint64_t tables_bytes(void);

#endif
