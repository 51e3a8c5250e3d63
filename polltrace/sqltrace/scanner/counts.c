// SPDX-License-Identifier: GPL-2.0-or-later
#include "counts.h"

#include <stdlib.h>

enum { FIRST_SLOTS = 1 << 10 };

static bool make_slots(struct counts *counts, size_t slots) {
    struct alike *const slot = calloc(slots, sizeof *slot);
    uint32_t *const used = malloc(slots / 2 * sizeof *used);
    if (!slot || !used) {
        free(slot);
        free(used);
        return false;
    }
    *counts = (struct counts){.slot = slot, .used = used, .slots = slots};
    return true;
}

bool counts_clear(struct counts *counts) {
    if (!counts->slots)
        return make_slots(counts, FIRST_SLOTS);
    for (size_t i = 0; i < counts->count; i++)
        counts->slot[counts->used[i]].times = 0;
    counts->count = 0;
    return true;
}

bool counts_grow(struct counts *counts) {
    struct counts grown;
    if (!make_slots(&grown, 2 * counts->slots))
        return false;
    for (size_t i = 0; i < counts->count; i++) {
        const struct alike *const from = &counts->slot[counts->used[i]];
        const size_t to =
            alike_slot(grown.slot, grown.slots, from->key, from->dur_us);
        grown.slot[to] = *from;
        grown.used[grown.count++] = (uint32_t)to;
    }
    counts_free(counts);
    *counts = grown;
    return true;
}

void counts_free(struct counts *counts) {
    free(counts->slot);
    free(counts->used);
    *counts = (struct counts){0};
}
