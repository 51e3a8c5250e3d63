// SPDX-License-Identifier: GPL-2.0-only
#include "loader.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "polltrace.skel.h"

#define STARTED_PLACES 65536

// libbpf is silent unless asked: its warnings are kept for the error message.
static char last_warning[512];

static int keep_warning(enum libbpf_print_level level, const char *format,
                        va_list args) {
    if (level == LIBBPF_WARN && !getenv("POLLTRACE_VERBOSE")) {
        vsnprintf(last_warning, sizeof(last_warning), format, args);
        last_warning[strcspn(last_warning, "\n")] = 0;
        return 0;
    }
    return getenv("POLLTRACE_VERBOSE") ? vfprintf(stderr, format, args) : 0;
}

static uint32_t rows_for(unsigned processes) {
    uint32_t rows = 1;

    // Half full at most, so that no bucket overflows before the whole does.
    while (rows * BUCKET_WAYS < processes * 2)
        rows *= 2;
    return rows;
}

static void size_maps(struct probe *p, const struct options *o) {
    struct polltrace *skel = p->skel;
    uint32_t slots = p->rows * BUCKET_WAYS;

    bpf_map__set_max_entries(skel->maps.buckets, p->rows);
    bpf_map__set_map_flags(skel->maps.buckets, BPF_F_MMAPABLE);
    bpf_map__set_max_entries(skel->maps.slots, slots);
    bpf_map__set_map_flags(skel->maps.slots, BPF_F_MMAPABLE);
    bpf_map__set_max_entries(skel->maps.claims, slots * (2 + FD_WAYS));
    bpf_map__set_max_entries(skel->maps.endpoints, o->max_processes * 4);
    bpf_map__set_max_entries(skel->maps.stacks,
                             o->stack_stride ? o->max_stacks : 1);
    bpf_map__set_max_entries(skel->maps.sites,
                             o->stack_stride ? o->max_processes * 24 : 1);
    bpf_map__set_max_entries(skel->maps.started,
                             o->mode == MODE_SYSCALLS ? STARTED_PLACES : 1);
    bpf_map__set_max_entries(skel->maps.syscalls, o->mode == MODE_SYSCALLS
                                                      ? o->max_processes * 32
                                                      : 1);
}

static void choose_programs(struct probe *p, const struct options *o) {
    struct bpf_program *program;

    p->variant = "tp_btf";
    if (o->variant && strcmp(o->variant, p->variant) != 0)
        fail(EXIT_USAGE, "no variant '%s'", o->variant);
    bpf_object__for_each_program(program, p->skel->obj)
        bpf_program__set_autoload(program, false);
    bpf_program__set_autoload(p->skel->progs.fork_raw_tp, o->follow);
    bpf_program__set_autoload(p->skel->progs.exec_raw_tp, true);
    bpf_program__set_autoload(p->skel->progs.exit_raw_tp, true);
    if (o->mode == MODE_SYSCALLS) {
        bpf_program__set_autoload(p->skel->progs.enter_all_tp_btf, true);
        bpf_program__set_autoload(p->skel->progs.exit_all_tp_btf, true);
    } else {
        bpf_program__set_autoload(p->skel->progs.enter_tp_btf, true);
    }
}

static void *map_memory(int fd, size_t size) {
    size_t page = sysconf(_SC_PAGESIZE);
    void *memory = mmap(NULL, (size + page - 1) & ~(page - 1),
                        PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    if (memory == MAP_FAILED)
        fail(EXIT_KERNEL,
             "cannot map a BPF array: %s (Linux 5.5 or newer is "
             "needed)",
             strerror(errno));
    return memory;
}

static void explain_load(int error) {
    if (error == -EPERM || error == -EACCES)
        fail(EXIT_NOT_PERMITTED,
             "the kernel refuses to load BPF programs: run as root, or with "
             "CAP_BPF, CAP_PERFMON and CAP_SYS_PTRACE (%s)",
             last_warning);
    fail(EXIT_KERNEL, "cannot load the BPF programs: %s (%s)", strerror(-error),
         last_warning);
}

void probe_load(struct probe *p, const struct options *o) {
    struct rlimit endless = {RLIM_INFINITY, RLIM_INFINITY};
    int error;

    libbpf_set_print(keep_warning);
    setrlimit(RLIMIT_MEMLOCK, &endless); // charged to it before Linux 5.11
    p->skel = polltrace__open();
    if (!p->skel)
        fail(EXIT_KERNEL, "cannot open the BPF object: %s", strerror(errno));
    p->rows = rows_for(o->max_processes);
    p->skel->rodata->bucket_mask = p->rows - 1;
    p->skel->rodata->follow_forks = o->follow;
    p->skel->rodata->stack_stride = o->stack_stride;
    p->skel->rodata->stack_depth = o->stack_depth;
    p->skel->rodata->started_mask = STARTED_PLACES - 1;
    size_maps(p, o);
    choose_programs(p, o);
    error = polltrace__load(p->skel);
    if (error)
        explain_load(error);
    p->buckets_fd = bpf_map__fd(p->skel->maps.buckets);
    p->slots_fd = bpf_map__fd(p->skel->maps.slots);
    p->claims_fd = bpf_map__fd(p->skel->maps.claims);
    p->endpoints_fd = bpf_map__fd(p->skel->maps.endpoints);
    p->stacks_fd = bpf_map__fd(p->skel->maps.stacks);
    p->sites_fd = bpf_map__fd(p->skel->maps.sites);
    p->syscalls_fd = bpf_map__fd(p->skel->maps.syscalls);
    p->buckets = map_memory(p->buckets_fd, p->rows * sizeof(struct bucket));
    p->slots =
        map_memory(p->slots_fd, p->rows * BUCKET_WAYS * sizeof(struct slot));
}

static struct bpf_link *attach(struct bpf_program *program) {
    struct bpf_link *link = bpf_program__attach(program);

    if (!link)
        fail(errno == EPERM || errno == EACCES ? EXIT_NOT_PERMITTED
                                               : EXIT_ATTACH,
             "cannot attach %s: %s (%s)", bpf_program__name(program),
             strerror(errno), last_warning);
    return link;
}

void probe_attach_lives(struct probe *p) {
    // Kept until the end of the process: nothing is ever pinned.
    if (bpf_program__autoload(p->skel->progs.fork_raw_tp))
        p->skel->links.fork_raw_tp = attach(p->skel->progs.fork_raw_tp);
    p->skel->links.exec_raw_tp = attach(p->skel->progs.exec_raw_tp);
    p->skel->links.exit_raw_tp = attach(p->skel->progs.exit_raw_tp);
}

void probe_attach_calls(struct probe *p, const struct options *o) {
    if (o->mode == MODE_SYSCALLS) {
        p->link[p->links++] = attach(p->skel->progs.enter_all_tp_btf);
        p->link[p->links++] = attach(p->skel->progs.exit_all_tp_btf);
    } else {
        p->link[p->links++] = attach(p->skel->progs.enter_tp_btf);
    }
}

void probe_detach_calls(struct probe *p) {
    while (p->links)
        bpf_link__destroy(p->link[--p->links]);
}

uint64_t probe_lost(const struct probe *p, enum lost_kind kind) {
    return p->skel->bss->lost[kind];
}
