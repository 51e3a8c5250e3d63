// SPDX-License-Identifier: GPL-2.0-or-later
#include "measurement/strides.h"

#include <stdlib.h>

#include "loader/shared.h"

#define PATIENCE_NS 500000000ull // a hundred times the usual
#define STACKS_PER_S 200

static void shorten(struct probe *p, struct slot *slot, uint64_t polls,
                    uint64_t ns) {
    uint64_t stride = polls * (1000000000 / STACKS_PER_S) / ns;

    if (stride < 1)
        stride = 1;
    if (stride >= slot->stack_stride)
        return;
    shared_store(p, slot->stack_stride, stride);
    shared_store(p, slot->stack_gap, 1 + random() % (2 * stride - 1));
    shared_store(p, slot->until_stack, slot->stack_gap);
}

void strides_follow(struct watched *w, uint64_t now) {
    for (uint32_t i = 0; i < w->slots; i++) {
        struct process *process = &w->process[i];
        struct slot *slot = &w->probe->slots[i];
        uint64_t polls = slot_breaks(slot) - process->stride_polls;

        if (process->stage != STAGE_KEPT ||
            now - process->stride_ns < PATIENCE_NS)
            continue;
        if (process->stride_ns && polls && now - slot->stack_ns > PATIENCE_NS)
            shorten(w->probe, slot, polls, now - process->stride_ns);
        process->stride_polls += polls;
        process->stride_ns = now;
    }
}
