// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef POLLTRACE_FUNCTION_START_H
#define POLLTRACE_FUNCTION_START_H

#include <stdbool.h>
#include <stdint.h>

// Whether a function begins at this offset of the file, by its symbol tables
// or by its unwind index. A breakpoint anywhere else could break the process
// that runs it.
bool function_begins(int fd, uint64_t offset);

#endif
