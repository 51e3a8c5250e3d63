// SPDX-License-Identifier: GPL-2.0-or-later
// A part of a file, mapped: its lines are read where the kernel has them.
//
// A file that shrinks while it is mapped takes pages away, and touching these
// raises SIGBUS. The handler puts zeros in their place, so that whoever reads
// goes on, and the window says afterwards that it was so.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LARGEST_WINDOW = 16 << 20 };

struct window;

// NULL: no memory, or more windows than a process may have.
struct window *window_new(void);

// Show the lines of [at, at + most) of a file, which it had a moment ago;
// `most` is LARGEST_WINDOW at most. Returns the bytes up to the last line end
// in it; 0 where there is none, or where the file cannot be mapped.
// BLOCK_PADDING readable bytes follow.
size_t window_move(struct window *window, int file, int64_t at, size_t most);

const char *window_data(const struct window *window);

// Whether a part of the window was not there when it was read, or is not there
// any more.
bool window_is_torn(const struct window *window);

void window_free(struct window *window);
