// SPDX-License-Identifier: GPL-2.0-or-later
// polltrace-probe: counts the break polls of running processes and prints
// JSON Lines (frames.schema.json). The only part of polltrace that needs
// root; it attaches, gives up its privileges, and reports until it is stopped.
//
// Exit codes: 0 done; 2 wrong usage; 3 not permitted; 4 the kernel lacks
// something needed; 5 no such process; 6 attaching failed otherwise.
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "loader/attach.h"
#include "loader/own_cost.h"
#include "loader/try_variants.h"
#include "measurement/bursts.h"
#include "measurement/counting_cost.h"
#include "measurement/off_cpu.h"
#include "measurement/sampler.h"
#include "options/failure.h"
#include "output/frames.h"
#include "output/layout.h"
#include "output/process_records.h"
#include "privileges/caps.h"
#include "processes/cmdlines.h"
#include "processes/filter.h"
#include "readers/procfs.h"
#include "session/privileges.h"
#include "session/session.h"
#include "unwind/layouts.h"

// Leaves out those that have ended, with --skip-ended.
static void check_pids(struct options *o) {
    unsigned running = 0;

    for (unsigned i = 0; i < o->pid_count; i++) {
        struct proc_status status;
        int pid = o->pids[i];

        if (!proc_start_ticks(pid) || !proc_status(pid, &status)) {
            if (o->skip_ended)
                continue;
            fail(EXIT_NO_PROCESS, "no process %d", pid);
        }
        if (status.tgid != pid)
            fail(EXIT_NO_PROCESS, "%d is a thread of process %d: give that",
                 pid, status.tgid);
        o->pids[running++] = pid;
    }
    if (o->pid_count && !running)
        fail(EXIT_NO_PROCESS, "all processes given have ended");
    o->pid_count = running;
}

static void check_kernel(void) {
    if (access("/sys/kernel/btf/vmlinux", R_OK))
        fail(EXIT_KERNEL, "the kernel has no BTF (/sys/kernel/btf/vmlinux): "
                          "it needs CONFIG_DEBUG_INFO_BTF");
}

static void raise_open_files(unsigned processes) {
    struct rlimit files;

    getrlimit(RLIMIT_NOFILE, &files);
    if (files.rlim_cur >= processes + 64)
        return;
    // Only CAP_SYS_RESOURCE may raise the hard limit.
    files.rlim_cur = processes + 64;
    if (files.rlim_max < files.rlim_cur) {
        struct rlimit both = {files.rlim_cur, files.rlim_cur};

        if (!setrlimit(RLIMIT_NOFILE, &both))
            return;
        files.rlim_cur = files.rlim_max;
    }
    setrlimit(RLIMIT_NOFILE, &files);
}

static void take_in(struct watched *w, const struct options *o) {
    for (unsigned i = 0; i < o->pid_count; i++)
        if (!watched_add(w, o->pids[i]) && !o->skip_ended)
            fail(EXIT_NO_PROCESS, "process %d ended", o->pids[i]);
    if (filter_is_set())
        watched_add_all(w);
}

static void make_tables_of(void *unused, int pid) {
    (void)unused;
    if (cmdlines_files_answer(pid))
        layout_prepare(pid);
}

// Before the programs are loaded, since their arrays are as large as the
// tables.
static void make_unwind_tables(struct probe *p, const struct options *o) {
    tables_limit((uint64_t)o->unwind_mb << 20);
    if (!o->unwind_mb)
        return;
    for (unsigned i = 0; i < o->pid_count; i++)
        make_tables_of(NULL, o->pids[i]);
    if (filter_is_set())
        filter_each(make_tables_of, NULL);
    tables_size(p, o->follow || filter_is_set());
    p->unwind_layouts = layouts_size(o);
}

// In the watch mode nothing but the sampling clock is attached to begin with.
static void attach(struct reporter *r) {
    const struct options *o = r->options;

    if (o->mode == MODE_WATCH) {
        srand48(getpid());
        // A window that is closed late costs the process more than it should.
        setpriority(PRIO_PROCESS, 0, -20);
        r->cost_ns = counting_cost_ns(r->watched);
        if (options_want_stacks(o))
            sampler_start(r->probe, o->sample_hz);
    } else {
        probe_attach_calls(r->probe);
    }
    r->attached_ns =
        o->mode == MODE_OFF_CPU ? off_cpu_open(r->probe) : monotonic_ns();
    watched_start(r->watched);
    if (o->mode == MODE_OFF_CPU)
        off_cpu_seed(r->probe);
}

int main(int argc, char **argv) {
    struct options options;
    struct probe probe = {0};
    struct watched watched;
    struct reporter reporter;

    parse_options(&options, argc, argv);
    if (!options.list_variants)
        check_pids(&options);
    caps_require();
    check_kernel();
    if (options.list_variants) {
        try_variants(&options);
        return EXIT_OK;
    }
    cmdlines_start(!options.no_seccomp);
    filter_init(&options);
    bursts_check(&options);
    raise_open_files(options.max_processes);
    if (options.own_cost)
        own_cost_enable();
    if (options_want_stacks(&options))
        make_unwind_tables(&probe, &options);
    probe_load(&probe, &options);
    tables_open(&probe);
    layouts_open(&probe);
    watched_init(&watched, &probe, &options);
    report_init(&reporter, &options, &probe, &watched);
    probe_attach_lives(&probe);
    take_in(&watched, &options);
    report_processes(&reporter);
    bursts_prepare(&watched);
    attach(&reporter);
    privileges_drop(&reporter);
    session_run(&reporter);
    return EXIT_OK;
}
