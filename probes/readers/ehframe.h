// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef POLLTRACE_EHFRAME_H
#define POLLTRACE_EHFRAME_H

#include <stddef.h>
#include <stdint.h>

#include "kernel/records.h"

struct eh_frame {
    const uint8_t *data;
    size_t size;
    uint64_t address; // of data[0], as the linker laid it out
};

enum eh_result {
    EH_STACK_POINTER, // *rule has the offsets from rsp
    EH_FRAME_POINTER, // the frame is kept through rbp
    EH_UNKNOWN,       // no entry, or a rule this reader does not follow
};

// Where the return address and the caller's frame pointer lie while `pc` is
// executed in the innermost frame. Never reads outside the section, whatever it
// contains.
enum eh_result eh_caller(const struct eh_frame *section, uint64_t pc,
                         struct site_rule *rule);

#endif
