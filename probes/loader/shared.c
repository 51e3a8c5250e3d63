// SPDX-License-Identifier: GPL-2.0-or-later
#include "loader/shared.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "options/failure.h"
#include "polltrace.skel.h"

// The packet that a socket filter runs on; the kernel removes the header first.
struct packet {
    uint8_t ethernet[14];
    struct poke poke;
} __attribute__((packed));

bool shared_can_map(void) {
    DECLARE_LIBBPF_OPTS(bpf_map_create_opts, options,
                        .map_flags = BPF_F_MMAPABLE);
    int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "mappable", 4, 8, 1, &options);

    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static void *open_map(const struct probe *p, const struct bpf_map *map) {
    size_t page = sysconf(_SC_PAGESIZE);
    size_t size = (size_t)bpf_map__value_size(map) * bpf_map__max_entries(map);
    void *memory = MAP_FAILED;

    size = (size + page - 1) & ~(page - 1);
    if (p->mapped)
        memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED,
                      bpf_map__fd(map), 0);
    else // touched where it is used alone
        memory = mmap(NULL, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        fail(EXIT_KERNEL, "cannot map a BPF array: %s", strerror(errno));
    return memory;
}

void shared_open(struct probe *p) {
    p->buckets = open_map(p, p->skel->maps.buckets);
    p->slots = open_map(p, p->skel->maps.slots);
    p->cpu = open_map(p, p->skel->maps.cpus);
    p->globals = p->mapped ? p->skel->bss : open_map(p, p->skel->maps.bss);
}

static void pull(const struct probe *p, const struct bpf_map *map,
                 uint32_t index, void *into) {
    if (!p->mapped && bpf_map_lookup_elem(bpf_map__fd(map), &index, into))
        fail(EXIT_ATTACH, "cannot read a BPF array: %s", strerror(errno));
}

static void put(const struct probe *p, const struct bpf_map *map,
                uint32_t index, const void *from) {
    if (!p->mapped &&
        bpf_map_update_elem(bpf_map__fd(map), &index, from, BPF_ANY))
        fail(EXIT_ATTACH, "cannot write a BPF array: %s", strerror(errno));
}

void shared_pull_slot(struct probe *p, uint32_t slot) {
    pull(p, p->skel->maps.slots, slot, &p->slots[slot]);
}

void shared_pull_globals(struct probe *p) {
    pull(p, p->skel->maps.bss, 0, p->globals);
}

void shared_pull(struct probe *p) {
    if (p->mapped)
        return;
    shared_pull_globals(p);
    for (uint32_t slot = 0; slot < p->rows * BUCKET_WAYS; slot++)
        shared_pull_slot(p, slot);
}

void shared_pull_cpus(struct probe *p) {
    for (uint32_t cpu = 0; cpu < p->cpus; cpu++)
        pull(p, p->skel->maps.cpus, cpu, &p->cpu[cpu]);
}

void shared_put_slot(struct probe *p, uint32_t slot) {
    put(p, p->skel->maps.slots, slot, &p->slots[slot]);
}

void shared_put_cpus(struct probe *p) {
    for (uint32_t cpu = 0; cpu < p->cpus; cpu++)
        put(p, p->skel->maps.cpus, cpu, &p->cpu[cpu]);
}

static bool is_within(uintptr_t at, const void *memory, size_t size) {
    return at >= (uintptr_t)memory && at < (uintptr_t)memory + size;
}

static struct poke poke_at(const struct probe *p, uintptr_t at) {
    struct poke poke = {.area = POKE_GATE};

    if (is_within(at, p->slots, p->rows * BUCKET_WAYS * sizeof(struct slot))) {
        poke.area = POKE_SLOT;
        at -= (uintptr_t)p->slots;
        poke.element = at / sizeof(struct slot);
        poke.offset = at % sizeof(struct slot);
    } else if (is_within(at, p->buckets, p->rows * sizeof(struct bucket))) {
        poke.area = POKE_BUCKET;
        at -= (uintptr_t)p->buckets;
        poke.element = at / sizeof(struct bucket);
        poke.offset = at % sizeof(struct bucket);
    }
    return poke;
}

bool shared_publish(struct probe *p, const volatile void *field, size_t size) {
    DECLARE_LIBBPF_OPTS(bpf_test_run_opts, run);
    struct packet packet = {.ethernet = {0}};

    if (p->mapped)
        return true;
    packet.poke = poke_at(p, (uintptr_t)field);
    packet.poke.size = size;
    memcpy(&packet.poke.value, (const void *)field, size);
    run.data_in = &packet;
    run.data_size_in = sizeof(packet);
    return !bpf_prog_test_run_opts(bpf_program__fd(p->skel->progs.loader_poke),
                                   &run);
}
