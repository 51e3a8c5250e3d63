// SPDX-License-Identifier: GPL-2.0-or-later
// A process's executable mappings: where libc's system calls are, and what a
// later reader needs to name addresses.
#ifndef POLLTRACE_LAYOUT_H
#define POLLTRACE_LAYOUT_H

#include <stdint.h>

#include "json.h"
#include "loader.h"

// How many executable mappings the process has.
unsigned layout_size(int pid);

// Tells the kernel side the sites of `image` and appends the mappings of the
// process as a JSON list.
void layout_read(struct probe *probe, int pid, uint32_t image,
                 struct json *json);

#endif
