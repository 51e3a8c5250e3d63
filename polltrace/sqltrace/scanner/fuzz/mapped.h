// SPDX-License-Identifier: GPL-2.0-or-later
// Bytes as a file that windows show.
#pragma once

#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

// A file in memory with these bytes, which the caller closes.
static inline int file_of(const char *data, size_t size) {
    const int file = memfd_create("trace", 0);
    if (file < 0 || write(file, data, size) != (ssize_t)size)
        abort();
    return file;
}

// The part of the file that ends with a line's end, in a window of its own.
static inline struct window *shown(int file, size_t at, size_t part) {
    struct window *const window = sqltrace_window_new();
    if (!window ||
        sqltrace_window_move(window, file, (int64_t)at, part) != part)
        abort();
    return window;
}
