// SPDX-License-Identifier: GPL-2.0-or-later
#include "loader/direct_map.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "loader/kernel_btf.h"
#include "loader/shared.h"
#include "polltrace.skel.h"

#define PAGE 4096ull
#define PLACES_TRIED 8 // in one run, as in user_word.bpf.h
#define MOST_GIGABYTES 16384
#define FRAME_BITS ((UINT64_C(1) << 55) - 1)

// Physical address bits that address: not those that mark encryption.
static unsigned physical_bits(void) {
    FILE *file = fopen("/proc/cpuinfo", "re");
    unsigned bits = 0;
    char line[8192];

    while (file && fgets(line, sizeof(line), file)) {
        if (!strncmp(line, "flags", 5) && strstr(line, " la57")) {
            bits = 0; // five levels of page tables: not ours
            break;
        }
        if (sscanf(line, "address sizes : %u bits physical", &bits) == 1)
            break;
    }
    if (file)
        fclose(file);
    return bits >= 32 && bits <= 52 ? bits : 0;
}

static uint64_t frame_of(const void *page) {
    int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    uint64_t entry = 0;

    if (fd < 0)
        return 0;
    if (pread(fd, &entry, 8, (uintptr_t)page / PAGE * 8) != 8 || !(entry >> 63))
        entry = 0;
    close(fd);
    return (entry & FRAME_BITS) * PAGE; // 0 without CAP_SYS_ADMIN
}

uint64_t direct_map_frame_mask(void) {
    unsigned bits = physical_bits();

    return bits ? ((UINT64_C(1) << bits) - 1) & ~(PAGE - 1) : 0;
}

// Whether every page table is freed only after an RCU grace period, within
// which our programs run. The function is there with CONFIG_PT_RECLAIM
// (Linux 6.14), which closed the last exception; the member is gone where bare
// metal does it as well (6.15).
static bool tables_are_freed_by_rcu(void) {
    return kernel_has_function("__tlb_remove_table_one_rcu") &&
           !kernel_has_member("pv_mmu_ops", "tlb_remove_table");
}

// CONFIG_MEMORY_FAILURE: the kernel survives an uncorrectable error in a
// process's memory, unless the kernel itself consumes it by a plain load.
static bool poison_is_handled(void) {
    FILE *file = fopen("/proc/meminfo", "re");
    bool handled = !file;
    char line[256];

    while (file && !handled && fgets(line, sizeof(line), file))
        handled = !strncmp(line, "HardwareCorrupted:", 18);
    if (file)
        fclose(file);
    return handled;
}

static bool may_walk(enum page_walk page_walk) {
    if (page_walk == PAGE_WALK_AUTO)
        return !poison_is_handled() && tables_are_freed_by_rcu();
    return page_walk == PAGE_WALK_ON;
}

void direct_map_find(struct probe *p, enum page_walk page_walk) {
    DECLARE_LIBBPF_OPTS(bpf_test_run_opts, run);
    struct bpf_program *program = p->skel->progs.life_direct_map;
    uint64_t arguments[5];
    uint64_t *page;

    if (!p->cast || !direct_map_frame_mask() || !may_walk(page_walk))
        return;
    page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (page == MAP_FAILED)
        return;
    if (getrandom(page, 16, 0) == 16 && (arguments[1] = frame_of(page))) {
        arguments[0] = (uintptr_t)page;
        arguments[2] = page[0];
        arguments[3] = page[1];
        run.ctx_in = arguments;
        run.ctx_size_in = sizeof(arguments);
        for (uint64_t first = 0;
             first < MOST_GIGABYTES && !p->globals->direct_map;
             first += PLACES_TRIED) {
            arguments[4] = first;
            if (bpf_prog_test_run_opts(bpf_program__fd(program), &run))
                break;
            shared_pull_globals(p);
        }
    }
    munmap(page, PAGE);
}
