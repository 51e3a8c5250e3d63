// SPDX-License-Identifier: GPL-2.0-or-later
// Stores one field for a loader that cannot map memory (see shared.h).
#ifndef POLLTRACE_POKE_BPF_H
#define POLLTRACE_POKE_BPF_H

#include "kernel/maps.bpf.h"

static __always_inline void poke_bucket(const struct poke *poke) {
    struct bucket *bucket = bpf_map_lookup_elem(&buckets, &poke->element);
    __u32 place = poke->offset / sizeof(bucket->tgid[0]) % BUCKET_WAYS;

    if (bucket)
        *(volatile __u32 *)&bucket->tgid[place] = poke->value;
}

static __always_inline void poke_slot(const struct poke *poke) {
    void *slot = bpf_map_lookup_elem(&slots, &poke->element);
    __u32 offset = poke->offset % sizeof(struct slot);

    if (!slot)
        return;
    if (poke->size == 8)
        *(volatile __u64 *)(slot + (offset & ~7)) = poke->value;
    else
        *(volatile __u32 *)(slot + (offset & ~3)) = poke->value;
}

static __always_inline void store_poke(struct __sk_buff *packet) {
    struct poke poke;

    if (bpf_skb_load_bytes(packet, 0, &poke, sizeof(poke)))
        return;
    if (poke.area == POKE_BUCKET)
        poke_bucket(&poke);
    else if (poke.area == POKE_SLOT)
        poke_slot(&poke);
    else
        window_open = poke.value;
}

#endif
