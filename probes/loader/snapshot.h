// SPDX-License-Identifier: GPL-2.0-or-later
// All entries of a hash map, sorted by the slot that their key (or their
// value) begins with.
#ifndef POLLTRACE_SNAPSHOT_H
#define POLLTRACE_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>

struct snapshot {
    uint32_t count, room;
    uint32_t key_size, value_size;
    char *keys, *values;
    uint32_t *order; // indexes, sorted by slot
    int fd;
    bool by_value;
};

void snapshot_init(struct snapshot *snapshot, int fd, uint32_t room,
                   uint32_t key_size, uint32_t value_size);
void snapshot_take(struct snapshot *snapshot);

// The first position in `order` whose entry belongs to `slot` or a later one.
uint32_t snapshot_find(const struct snapshot *snapshot, uint32_t slot);
const void *snapshot_key(const struct snapshot *snapshot, uint32_t position);
const void *snapshot_value(const struct snapshot *snapshot, uint32_t position);
uint32_t snapshot_slot(const struct snapshot *snapshot, uint32_t position);

#endif
