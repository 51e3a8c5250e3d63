// SPDX-License-Identifier: GPL-2.0-or-later
#include "unwind/tables.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "polltrace.skel.h"
#include "processes/cmdlines.h"

#define MAX_WAITING 512
#define SPARE_ROWS (1u << 19)
#define VDSO_SIZE 8192 // two pages of code and data, on all kernels so far

static uint64_t limit, used; // bytes
static unsigned refused;
static struct placed_table *waiting[MAX_WAITING];
static unsigned waiting_count;

static uint64_t *rows;
static struct unwind_page *pages;
static uint32_t row_room, page_room, rows_used, pages_used;

void tables_limit(uint64_t bytes) {
    limit = bytes;
}

static uint64_t bytes_of(const struct unwind_table *t) {
    return t->rows * sizeof(*rows) + t->pages * sizeof(*pages);
}

static void refuse(struct placed_table *placed) {
    unwind_table_free(&placed->table);
    placed->mapped = MAPPED_NO_ROOM;
    refused++;
}

static void place(struct placed_table *placed) {
    struct unwind_table *t = &placed->table;

    if (t->rows > row_room - rows_used || t->pages > page_room - pages_used) {
        refuse(placed);
        return;
    }
    memcpy(rows + rows_used, t->row, t->rows * sizeof(*t->row));
    for (uint32_t i = 0; i < t->pages; i++)
        pages[pages_used + i] = (struct unwind_page){
            rows_used + t->page[i], t->page[i + 1] - t->page[i]};
    placed->page = pages_used;
    rows_used += t->rows;
    pages_used += t->pages;
    free(t->row);
    free(t->page);
    t->row = NULL;
    t->page = NULL;
}

static void hold(struct placed_table *placed, enum table_result result) {
    placed->read = true;
    placed->mapped = MAPPED_NO_RULES;
    if (result == TABLE_NO_RULES)
        return;
    if (result == TABLE_TOO_LARGE || bytes_of(&placed->table) > limit - used) {
        refuse(placed);
        return;
    }
    placed->mapped = MAPPED_TABLE;
    used += bytes_of(&placed->table);
    if (rows)
        place(placed);
    else if (waiting_count < MAX_WAITING)
        waiting[waiting_count++] = placed;
    else
        refuse(placed);
}

void tables_read(struct placed_table *placed, int fd) {
    if (!limit || placed->read)
        return;
    hold(placed, cmdlines_table(fd, &placed->table));
}

struct placed_table *tables_vdso(void) {
    static struct placed_table vdso;
    const void *image = (const void *)getauxval(AT_SYSINFO_EHDR);
    int fd;

    if (!limit || vdso.read || !image)
        return &vdso;
    fd = memfd_create("vdso", MFD_CLOEXEC);
    if (fd < 0 || write(fd, image, VDSO_SIZE) < 4096)
        vdso.read = true;
    else
        hold(&vdso, unwind_table_read(fd, &vdso.table));
    if (fd >= 0)
        close(fd);
    return &vdso;
}

void tables_size(struct probe *p, bool spare) {
    uint32_t most_rows = limit / sizeof(*rows), needed = 0, needed_pages = 0;

    for (unsigned i = 0; i < waiting_count; i++) {
        needed += waiting[i]->table.rows;
        needed_pages += waiting[i]->table.pages;
    }
    // Libraries that are loaded later; programs that start later.
    needed += spare ? 4 * SPARE_ROWS : SPARE_ROWS;
    p->unwind_rows = needed < most_rows ? needed : most_rows;
    p->unwind_pages = needed_pages + p->unwind_rows / 16;
}

static void *map_array(const struct bpf_map *map) {
    size_t page = sysconf(_SC_PAGESIZE);
    size_t size = (size_t)bpf_map__value_size(map) * bpf_map__max_entries(map);
    void *memory =
        mmap(NULL, (size + page - 1) & ~(page - 1), PROT_READ | PROT_WRITE,
             MAP_SHARED, bpf_map__fd(map), 0);

    return memory == MAP_FAILED ? NULL : memory;
}

void tables_open(struct probe *p) {
    if (p->unwinding) {
        row_room = bpf_map__max_entries(p->skel->maps.unwind_rows);
        page_room = bpf_map__max_entries(p->skel->maps.unwind_pages);
        rows = map_array(p->skel->maps.unwind_rows);
        pages = map_array(p->skel->maps.unwind_pages);
    }
    if (!rows || !pages)
        limit = 0;
    for (unsigned i = 0; i < waiting_count; i++) {
        if (limit)
            place(waiting[i]);
        else
            unwind_table_free(&waiting[i]->table);
    }
    waiting_count = 0;
}

uint32_t tables_page(const struct placed_table *placed, uint64_t address) {
    return placed->page + ((address - placed->table.first) >> UNWIND_PAGE_BITS);
}

unsigned tables_refused(void) {
    return refused;
}

uint64_t tables_bytes(void) {
    return used;
}
