// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef POLLTRACE_DIRECT_MAP_H
#define POLLTRACE_DIRECT_MAP_H

#include "loader/loader.h"
#include "options/options.h"

// Which bits of a page-table entry are a physical address; 0: not known.
uint64_t direct_map_frame_mask(void);

// Lets the kernel side walk page tables to pollfds (see user_word.bpf.h), where
// it may and where that was tried on our own memory; else nothing.
void direct_map_find(struct probe *probe, enum page_walk page_walk);

#endif
