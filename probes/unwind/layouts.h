// SPDX-License-Identifier: GPL-2.0-or-later
// The executable mappings of watched processes, as the BPF programs search
// them.
#ifndef POLLTRACE_LAYOUTS_H
#define POLLTRACE_LAYOUTS_H

#include "unwind/tables.h"

// How many layouts there may be, for the options' processes.
uint32_t layouts_size(const struct options *options);

// Once the programs are loaded.
void layouts_open(struct probe *probe);

// Collects the mappings of a process, in the order of their addresses. `table`
// is NULL for memory without rules; `address` is where the file's code at
// `start` was linked.
void layouts_begin(void);
void layouts_add(uint64_t start, uint64_t end, const struct placed_table *table,
                 uint64_t address);

// Hands what was collected to the programs, for an image (see struct slot).
void layouts_publish(struct probe *probe, uint32_t image);

// Whether a walk has left the mappings of a slot's process since this was last
// asked; `misses` holds the count of that time.
bool layouts_missed(struct probe *probe, uint32_t slot, uint32_t *misses);

#endif
