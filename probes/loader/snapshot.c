// SPDX-License-Identifier: GPL-2.0-or-later
#include "loader/snapshot.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "options/failure.h"

void snapshot_init(struct snapshot *s, int fd, uint32_t room, uint32_t key_size,
                   uint32_t value_size) {
    *s = (struct snapshot){
        .fd = fd,
        .room = room,
        .key_size = key_size,
        .value_size = value_size,
        .keys = malloc((size_t)room * key_size),
        .values = malloc((size_t)room * value_size),
        .order = malloc((size_t)room * sizeof(*s->order)),
    };
    if (!s->keys || !s->values || !s->order)
        fail(EXIT_ATTACH, "out of memory");
}

// Before Linux 5.6 there is no batch: one entry at a time.
static void take_singly(struct snapshot *s) {
    void *last = NULL;

    s->count = 0;
    while (s->count < s->room) {
        char *key = s->keys + (size_t)s->count * s->key_size;

        if (bpf_map_get_next_key(s->fd, last, key))
            break;
        last = key;
        if (!bpf_map_lookup_elem(s->fd, key,
                                 s->values + (size_t)s->count * s->value_size))
            s->count++;
    }
}

static uint32_t slot_of(const struct snapshot *s, uint32_t index) {
    uint32_t slot;

    memcpy(&slot,
           s->by_value ? s->values + (size_t)index * s->value_size
                       : s->keys + (size_t)index * s->key_size,
           sizeof(slot));
    return slot;
}

static int by_slot(const void *a, const void *b, void *snapshot) {
    uint32_t first = slot_of(snapshot, *(const uint32_t *)a);
    uint32_t second = slot_of(snapshot, *(const uint32_t *)b);

    return first < second ? -1 : first > second;
}

void snapshot_take(struct snapshot *s) {
    DECLARE_LIBBPF_OPTS(bpf_map_batch_opts, options);
    uint32_t count = s->room, cursor[4];

    // ENOENT: the end was reached, which is the usual case.
    if (bpf_map_lookup_batch(s->fd, NULL, cursor, s->keys, s->values, &count,
                             &options) &&
        errno != ENOENT)
        take_singly(s);
    else
        s->count = count;
    for (uint32_t i = 0; i < s->count; i++)
        s->order[i] = i;
    qsort_r(s->order, s->count, sizeof(*s->order), by_slot, s);
}

uint32_t snapshot_slot(const struct snapshot *s, uint32_t position) {
    return position < s->count ? slot_of(s, s->order[position]) : UINT32_MAX;
}

uint32_t snapshot_find(const struct snapshot *s, uint32_t slot) {
    uint32_t low = 0, high = s->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (snapshot_slot(s, middle) < slot)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const void *snapshot_key(const struct snapshot *s, uint32_t position) {
    return s->keys + (size_t)s->order[position] * s->key_size;
}

const void *snapshot_value(const struct snapshot *s, uint32_t position) {
    return s->values + (size_t)s->order[position] * s->value_size;
}
