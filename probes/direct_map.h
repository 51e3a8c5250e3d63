// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef POLLTRACE_DIRECT_MAP_H
#define POLLTRACE_DIRECT_MAP_H

#include "loader.h"

// Which bits of a page-table entry are a physical address; 0: not known.
uint64_t direct_map_frame_mask(void);

// Lets the kernel side read pollfds through the kernel's own mapping (see
// user_word.bpf.h), where that was tried and found to work; else nothing.
void direct_map_find(struct probe *probe);

#endif
