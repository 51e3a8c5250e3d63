// SPDX-License-Identifier: GPL-2.0-or-later
// The server's private memory (PGA): all that SQLite allocates, except pages of
// data files, which are the buffer cache. Sorts and temporary tables spill to
// files long before the limit; memory that cannot spill fails with ORA-04036.
#ifndef ORALAB_PGA_H
#define ORALAB_PGA_H

#include <stdbool.h>
#include <stdint.h>

enum { PGA_LEAST_MB = 8, PGA_DEFAULT_MB = 256, PGA_MOST_MB = 1 << 20 };

// Puts the accounting around SQLite's allocator, before SQLite is used. False
// if SQLite refuses.
bool pga_install(uint64_t limit_bytes);

// A call begins: a limit that was reached before does not matter any more.
void pga_begin_call(void);
// Whether an allocation failed since then because of the limit.
bool pga_is_exceeded(void);

// Around calls of the buffer cache, whose memory does not count.
// Inline, because every get passes here.
extern bool pga_in_buffer_cache;

static inline void pga_enter_buffer_cache(void) {
    pga_in_buffer_cache = true;
}

static inline void pga_leave_buffer_cache(void) {
    pga_in_buffer_cache = false;
}

#endif
