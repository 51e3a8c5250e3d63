// SPDX-License-Identifier: GPL-2.0-or-later
#include "unwind/layouts.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "polltrace.skel.h"
#include "readers/procfs.h"

// A program that searches a layout needs microseconds.
#define GRACE_NS 100000000ull
#define COLLECTED 4096

struct use {
    uint32_t image; // 0: none
    uint64_t free_ns;
};

static struct unwind_layout *layouts;
static struct use *uses;
static uint32_t room;

static struct collected {
    uint64_t start;
    struct unwind_mapping mapping;
} collected[COLLECTED];
static unsigned collected_count, with_rules;

uint32_t layouts_size(const struct options *o) {
    bool grows = o->follow || o->pattern || o->cgroup;

    // As many again: a layout that is replaced stays for a moment.
    return 2 * (grows ? o->max_processes : o->pid_count) + 8;
}

void layouts_open(struct probe *p) {
    const struct bpf_map *map = p->skel->maps.unwind_layouts;
    size_t page = sysconf(_SC_PAGESIZE), size;
    void *memory;

    if (!p->unwinding)
        return;
    room = bpf_map__max_entries(map);
    size = (room * sizeof(*layouts) + page - 1) & ~(page - 1);
    memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED,
                  bpf_map__fd(map), 0);
    uses = calloc(room, sizeof(*uses));
    if (memory != MAP_FAILED && uses)
        layouts = memory;
}

void layouts_begin(void) {
    collected_count = with_rules = 0;
}

void layouts_add(uint64_t start, uint64_t end, const struct placed_table *table,
                 uint64_t address) {
    struct collected *c = &collected[collected_count];

    if (collected_count == COLLECTED)
        return;
    *c = (struct collected){start, {end, 0, MAPPED_NO_RULES}};
    if (table && table->read)
        c->mapping.mapped = table->mapped;
    if (c->mapping.mapped == MAPPED_TABLE) {
        uint64_t end_of_table =
            table->table.first +
            ((uint64_t)table->table.pages << UNWIND_PAGE_BITS);

        if (address < table->table.first || address % UNWIND_PAGE ||
            end_of_table - address < end - start)
            c->mapping.mapped = MAPPED_NO_RULES;
        else
            c->mapping.page = tables_page(table, address);
    }
    with_rules += c->mapping.mapped == MAPPED_TABLE;
    collected_count++;
}

static void fill(struct unwind_layout *layout) {
    bool all = collected_count <= LAYOUT_MAPPINGS;
    unsigned count = 0;

    memset(layout->start, 0xff, sizeof(layout->start));
    for (unsigned i = 0; i < collected_count && count < LAYOUT_MAPPINGS; i++) {
        const struct collected *c = &collected[i];

        if (!all && c->mapping.mapped != MAPPED_TABLE)
            continue;
        layout->start[count] = c->start;
        layout->mapping[count++] = c->mapping;
    }
}

static bool is_used(const struct probe *p, uint32_t image) {
    for (uint32_t i = 0; i < p->rows * BUCKET_WAYS; i++)
        if (p->slots[i].state == SLOT_LIVE &&
            (p->slots[i].image == image || p->slots[i].tgid == image))
            return true;
    return false;
}

static void release(struct probe *p, struct use *use, uint64_t now) {
    int images = bpf_map__fd(p->skel->maps.unwind_images);

    if (use->image)
        bpf_map_delete_elem(images, &use->image);
    use->image = 0;
    use->free_ns = now + GRACE_NS;
}

// A free layout's index; `room`: there is none.
static uint32_t find_free(struct probe *p, uint64_t now) {
    for (int collect = 0; collect < 2; collect++) {
        for (uint32_t i = 0; i < room; i++) {
            if (!uses[i].image && uses[i].free_ns <= now)
                return i;
            if (collect && uses[i].image && !is_used(p, uses[i].image))
                release(p, &uses[i], now);
        }
    }
    return room;
}

void layouts_publish(struct probe *p, uint32_t image) {
    uint64_t now = monotonic_ns();
    uint32_t index, previous = room;

    if (!layouts)
        return;
    index = find_free(p, now);
    for (uint32_t i = 0; i < room; i++)
        if (uses[i].image == image)
            previous = i;
    if (index == room)
        return; // without tables, its stacks are by frame pointers
    fill(&layouts[index]);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (bpf_map_update_elem(bpf_map__fd(p->skel->maps.unwind_images), &image,
                            &index, BPF_ANY))
        return;
    uses[index].image = image;
    if (previous < room) {
        uses[previous].image = 0;
        uses[previous].free_ns = now + GRACE_NS;
    }
}

bool layouts_missed(struct probe *p, uint32_t slot, uint32_t *misses) {
    uint32_t count = 0;

    if (!layouts ||
        bpf_map_lookup_elem(bpf_map__fd(p->skel->maps.unwind_misses), &slot,
                            &count) ||
        count == *misses)
        return false;
    *misses = count;
    return true;
}
