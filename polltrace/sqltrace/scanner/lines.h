// SPDX-License-Identifier: GPL-2.0-or-later
// Steps from line to line. A block ends with a newline, and BLOCK_PADDING
// zero bytes follow it.
#pragma once

#include <stdint.h>
#include <string.h>

// The newline that ends the line at `at`.
static inline const char *line_end(const char *at, const char *end) {
    const char *found = memchr(at, '\n', (size_t)(end - at));
    return found ? found : end;
}

// The first line from `at`, a line's start, that begins with neither a blank
// nor a line end; counts those before it.
const char *skip_indented(const char *at, const char *end, uint32_t *lines);

// How many lines end in [at, end).
uint32_t count_lines(const char *at, const char *end);
