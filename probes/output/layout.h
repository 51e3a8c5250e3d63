// SPDX-License-Identifier: GPL-2.0-or-later
// A process's executable mappings: the places of libc's system calls, and the
// data from which a later reader names addresses.
#ifndef POLLTRACE_LAYOUT_H
#define POLLTRACE_LAYOUT_H

#include <stdint.h>

#include "loader/loader.h"
#include "output/json.h"

// A number that changes with the executable mappings of the process.
uint64_t layout_signature(int pid);

// Makes the unwind tables of the files that a process has mapped, before the
// programs are loaded.
void layout_prepare(int pid);

// Gives the kernel side the call sites of `image`, and appends the mappings of
// the process as a JSON list.
void layout_read(struct probe *probe, int pid, uint32_t image,
                 struct json *json);

#endif
