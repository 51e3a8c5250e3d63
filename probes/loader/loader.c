// SPDX-License-Identifier: GPL-2.0-or-later
#include "loader/loader.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "loader/attach.h"
#include "loader/kernel_btf.h"
#include "loader/namespace.h"
#include "loader/programs.h"
#include "loader/shared.h"
#include "loader/trampolines.h"
#include "options/failure.h"
#include "polltrace.skel.h"

#define THREAD_SLOTS 65536

// libbpf is silent unless asked: the first warning of a load, which names the
// program, goes into our own message.
static char warning[256];

static int keep_warning(enum libbpf_print_level level, const char *format,
                        va_list args) {
    if (getenv("POLLTRACE_VERBOSE"))
        return vfprintf(stderr, format, args);
    if (level == LIBBPF_WARN && !warning[0]) {
        vsnprintf(warning, sizeof(warning), format, args);
        warning[strcspn(warning, "\n")] = 0;
    }
    return 0;
}

static uint32_t rows_for(unsigned processes) {
    uint32_t rows = 1;

    // Half full at most, so that no bucket overflows before the whole does.
    while (rows * BUCKET_WAYS < processes * 2)
        rows *= 2;
    return rows;
}

// Whether each bucket has room for those of the processes given that fall into
// it. In an inner PID namespace their ids in the initial one are not known yet.
static bool processes_fit(const struct options *o, uint32_t rows) {
    uint8_t *used = calloc(rows, 1);
    bool fit = true;

    if (!used)
        return true;
    for (unsigned i = 0; i < o->pid_count && fit; i++)
        fit = ++used[o->pids[i] & (rows - 1)] <= BUCKET_WAYS;
    free(used);
    return fit;
}

static uint32_t rows_for_processes(const struct options *o) {
    uint32_t rows = rows_for(o->max_processes), most = rows * 16;

    while (rows < most && !processes_fit(o, rows))
        rows *= 2;
    return rows;
}

// Global data are an array too. libbpf lets it be mapped where the kernel can,
// and there alone may the flag be touched: some versions of it flip the flag.
static void fake_no_mmap(struct polltrace *skel) {
    if (!shared_can_map())
        return;
    bpf_map__set_map_flags(skel->maps.bss, 0);
    // Not read-only: the verifier did not know the values of constants then.
    bpf_map__set_map_flags(skel->maps.rodata, 0);
}

// Places in the libc of each process; forked ones mostly have their parent's.
static uint32_t max_sites(const struct options *o) {
    if (!options_want_stacks(o))
        return 1;
    if (o->mode != MODE_OFF_CPU)
        return o->max_processes * 24;
    return o->pid_count * 96 + (o->follow ? o->max_processes * 24 : 0);
}

static void size_unwind_maps(struct probe *p, uint32_t mapping,
                             uint32_t slots) {
    struct polltrace *skel = p->skel;

    bpf_map__set_map_flags(skel->maps.unwind_rows, mapping);
    bpf_map__set_map_flags(skel->maps.unwind_pages, mapping);
    bpf_map__set_map_flags(skel->maps.unwind_layouts, mapping);
    if (!p->unwinding)
        return;
    bpf_map__set_max_entries(skel->maps.unwind_rows, p->unwind_rows);
    bpf_map__set_max_entries(skel->maps.unwind_pages, p->unwind_pages);
    bpf_map__set_max_entries(skel->maps.unwind_layouts, p->unwind_layouts);
    bpf_map__set_max_entries(skel->maps.unwind_images, p->unwind_layouts);
    bpf_map__set_max_entries(skel->maps.unwind_misses, slots);
}

static void size_maps(struct probe *p, const struct options *o) {
    struct polltrace *skel = p->skel;
    uint32_t slots = p->rows * BUCKET_WAYS;
    uint32_t mapping = p->mapped ? BPF_F_MMAPABLE : 0;
    bool stacks = options_want_stacks(o);

    bpf_map__set_max_entries(skel->maps.buckets, p->rows);
    if (o->no_mmap)
        fake_no_mmap(skel);
    bpf_map__set_map_flags(skel->maps.buckets, mapping);
    bpf_map__set_max_entries(skel->maps.slots, slots);
    bpf_map__set_map_flags(skel->maps.slots, mapping);
    if (o->mode == MODE_WATCH)
        bpf_map__set_max_entries(skel->maps.cpus, p->cpus);
    bpf_map__set_map_flags(skel->maps.cpus, mapping);
    bpf_map__set_max_entries(skel->maps.claims, slots * (2 + FD_WAYS));
    bpf_map__set_max_entries(skel->maps.endpoints, o->max_processes * 4);
    bpf_map__set_max_entries(skel->maps.stacks, stacks ? o->max_stacks : 1);
    if (o->kernel)
        bpf_map__set_max_entries(skel->maps.kernel_stacks,
                                 max_kernel_stacks(o));
    bpf_map__set_max_entries(skel->maps.sites, max_sites(o));
    bpf_map__set_max_entries(skel->maps.bursts, o->functions ? slots : 1);
    if (o->mode == MODE_SYSCALLS) {
        bpf_map__set_max_entries(skel->maps.started, THREAD_SLOTS);
        bpf_map__set_max_entries(skel->maps.syscalls, o->max_processes * 32);
    }
    if (o->mode == MODE_OFF_CPU) {
        bpf_map__set_max_entries(skel->maps.threads, max_threads(o));
        bpf_map__set_max_entries(skel->maps.off_times, o->max_stacks);
        bpf_map__set_max_entries(skel->maps.off_totals, slots);
    }
    size_unwind_maps(p, mapping, slots);
    if (o->mode == MODE_TIME) {
        bpf_map__set_max_entries(skel->maps.timed, THREAD_SLOTS);
        bpf_map__set_max_entries(skel->maps.times, o->max_histograms + 1);
    }
}

// Where some calls are defined (epoll_wait, 32-bit ppoll), Linux 5.10 knows no
// more of struct pt_regs than the name, and lets no fentry program read it:
// then it is found on the task's stack. (poll itself is not among them.)
static bool registers_are_untyped(const struct probe *p) {
    for (unsigned i = 0; i < p->calls; i++)
        if (bpf_program__expected_attach_type(p->call[i]) == BPF_TRACE_FENTRY &&
            !kernel_takes_structure(program_function(p->call[i])))
            return true;
    return false;
}

static void set_constants(struct probe *p, const struct options *o) {
    p->skel->rodata->bucket_mask = p->rows - 1;
    p->skel->rodata->follow_forks = o->follow;
    p->skel->rodata->adopt_all = o->pattern || o->cgroup;
    p->skel->rodata->stack_stride = o->stack_stride;
    p->skel->rodata->stack_auto = o->stack_auto;
    // The program, sample_poll(), sample_stack() and kernel_part(); or the
    // program, leave_cpu() and kernel_part().
    p->skel->rodata->own_frames = p->variant->kprobes       ? 0
                                  : o->mode == MODE_OFF_CPU ? 3
                                                            : 4;
    p->skel->rodata->unwinding = p->unwinding;
    p->skel->rodata->off_cpu = o->mode == MODE_OFF_CPU;
    p->skel->rodata->switch_has_state =
        o->mode == MODE_OFF_CPU &&
        kernel_switch_arguments() == SWITCH_STATE_LAST;
    p->skel->rodata->untyped_registers = registers_are_untyped(p);
    p->skel->rodata->kernel_parts = o->kernel;
    p->skel->rodata->stack_depth = o->stack_depth;
    p->skel->rodata->started_mask = THREAD_SLOTS - 1;
    p->skel->rodata->timing = o->mode == MODE_TIME;
    p->skel->rodata->windowed = o->mode == MODE_WATCH;
    p->skel->rodata->bursts_wanted = o->functions;
    p->skel->rodata->in_namespace = namespace_is_inner();
}

static int try_load(struct probe *p, const struct options *o) {
    int error;

    warning[0] = 0;
    p->skel = polltrace__open();
    if (!p->skel)
        return -errno;
    programs_choose(p, o);
    set_constants(p, o);
    size_maps(p, o);
    error = polltrace__load(p->skel);
    if (error) {
        polltrace__destroy(p->skel);
        p->skel = NULL;
    }
    return error;
}

static bool may_cast(const struct options *o) {
    return !o->plain_reads && kernel_has_function("bpf_rdonly_cast");
}

static int load_variant(struct probe *p, const struct options *o,
                        const struct variant *variant) {
    int error = -ENOTSUP;

    p->variant = variant;
    p->rows = rows_for_processes(o);
    p->cpus = o->mode == MODE_WATCH ? libbpf_num_possible_cpus() : 1;
    p->off_cpu = o->mode == MODE_OFF_CPU;
    p->mapped = !o->no_mmap && shared_can_map();
    if (!variant_has_mode(variant, o->mode))
        return -ENOTSUP;
    if (variant->trampolines && o->mode == MODE_WATCH &&
        !trampolines_attach_again())
        return -ENOTSUP;
    // The programs would load, and not attach.
    if (variant->kprobes &&
        access("/sys/bus/event_source/devices/kprobe/type", R_OK))
        return -ENOTSUP;
    for (int walk = p->unwind_rows && p->mapped; walk >= 0; walk--) {
        for (int cast = may_cast(o); cast >= 0; cast--) {
            p->unwinding = walk;
            p->cast = cast;
            error = try_load(p, o);
            // EPERM refuses the kind of program, whatever its instructions.
            if (!error || error == -EPERM)
                return error;
        }
    }
    return error;
}

// On Linux 7 with a preemptible kernel a thread may be preempted within a
// program at a system call; until it goes on, the kernel skips that program for
// all others on its CPU. Programs at kprobes run with preemption off.
static bool programs_are_preempted(void) {
    struct utsname uts;

    return !uname(&uts) && atoi(uts.release) >= 7 &&
           strstr(uts.version, "PREEMPT");
}

// Kprobes may be refused where other programs are not (perf_event_paranoid).
static bool load_kprobe(struct probe *p, const struct options *o) {
    bool attached;

    if (load_variant(p, o, &VARIANT[VARIANTS - 1])) // kprobe
        return false;
    attached = probe_try_attach_calls(p);
    probe_detach_calls(p);
    if (!attached) {
        polltrace__destroy(p->skel);
        p->skel = NULL;
    }
    return attached;
}

static int load_any(struct probe *p, const struct options *o) {
    int error = -ENOTSUP, refused = 0;

    if (!o->variant && o->mode == MODE_COUNT && programs_are_preempted() &&
        load_kprobe(p, o))
        return 0;
    for (unsigned i = 0; i < VARIANTS; i++) {
        if (o->variant && strcmp(o->variant, VARIANT[i].name) != 0)
            continue;
        if (!o->variant && VARIANT[i].trampolines && trampolines_are_refused())
            continue;
        error = load_variant(p, o, &VARIANT[i]);
        if (!error)
            return 0;
        // The kernel's error says more than that a variant lacks the mode.
        if (error != -ENOTSUP)
            refused = error;
    }
    return refused ? refused : error;
}

// Maps were charged to RLIMIT_MEMLOCK before Linux 5.11, which only
// CAP_SYS_RESOURCE may raise; to exceed it is EPERM as well.
static bool memlock_is_short(void) {
    struct rlimit limit;

    return !getrlimit(RLIMIT_MEMLOCK, &limit) &&
           limit.rlim_cur != RLIM_INFINITY;
}

static _Noreturn void explain_load(const struct options *o, int error) {
    if (o->variant && (error == -ENOTSUP || error == -EPERM))
        fail(EXIT_KERNEL,
             "this kernel does not take variant %s here: %s; try "
             "--variants",
             o->variant, strerror(-error));
    if (error == -EPERM && memlock_is_short())
        fail(EXIT_NOT_PERMITTED,
             "the kernel refuses to load BPF programs: run as root, or with "
             "CAP_BPF and CAP_PERFMON and, before Linux 5.11, with "
             "ulimit -l unlimited (%s)",
             warning);
    if (error == -EPERM || error == -EACCES)
        fail(EXIT_NOT_PERMITTED,
             "the kernel refuses to load BPF programs: run as root, or with "
             "CAP_BPF and CAP_PERFMON, and outside of lockdown (%s)",
             warning);
    fail(EXIT_KERNEL, "cannot load the BPF programs: %s (%s)", strerror(-error),
         warning);
}

static void prepare(void) {
    struct rlimit endless = {RLIM_INFINITY, RLIM_INFINITY};

    libbpf_set_print(keep_warning);
    setrlimit(RLIMIT_MEMLOCK, &endless);
}

int probe_try_load(struct probe *p, const struct options *o,
                   const struct variant *variant) {
    prepare();
    return load_variant(p, o, variant);
}

static void put_rules(struct probe *p, const struct options *o) {
    for (unsigned i = 0; i < o->rules; i++) {
        struct executable key = {0};

        strncpy(key.name, o->rule[i].executable, sizeof(key.name) - 1);
        if (bpf_map_update_elem(bpf_map__fd(p->skel->maps.rules), &key,
                                &o->rule[i].calls, BPF_ANY))
            fail(EXIT_ATTACH, "cannot store a rule: %s", strerror(errno));
    }
}

static void check_off_cpu(void) {
    if (!kernel_has_function("bpf_iter_task"))
        fail(EXIT_KERNEL, "off-CPU time takes the kernel's iterator over tasks "
                          "(Linux 5.8)");
    if (kernel_switch_arguments() == SWITCH_UNKNOWN)
        fail(EXIT_KERNEL, "off-CPU time takes sched_switch with arguments as "
                          "Linux has them before and after 5.18");
}

void probe_load(struct probe *p, const struct options *o) {
    int error;

    prepare();
    if (o->mode == MODE_OFF_CPU)
        check_off_cpu();
    error = load_any(p, o);
    if (error)
        explain_load(o, error);
    p->claims_fd = bpf_map__fd(p->skel->maps.claims);
    p->endpoints_fd = bpf_map__fd(p->skel->maps.endpoints);
    p->stacks_fd = bpf_map__fd(p->skel->maps.stacks);
    p->kernel_stacks_fd = bpf_map__fd(p->skel->maps.kernel_stacks);
    p->sites_fd = bpf_map__fd(p->skel->maps.sites);
    p->syscalls_fd = bpf_map__fd(p->skel->maps.syscalls);
    p->bursts_fd = bpf_map__fd(p->skel->maps.bursts);
    p->times_fd = bpf_map__fd(p->skel->maps.times);
    p->threads_fd = bpf_map__fd(p->skel->maps.threads);
    p->off_times_fd = bpf_map__fd(p->skel->maps.off_times);
    p->off_totals_fd = bpf_map__fd(p->skel->maps.off_totals);
    put_rules(p, o);
    shared_open(p);
    kernel_btf_close();
    malloc_trim(0); // the kernel's BTF took 12 MB for a moment
}

uint64_t probe_lost(const struct probe *p, enum lost_kind kind) {
    return p->globals->lost[kind];
}
