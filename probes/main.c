// SPDX-License-Identifier: GPL-2.0-only
// polltrace-probe: counts the break polls of running processes and prints
// JSON Lines (frames.schema.json). The only part of polltrace that needs
// root; it attaches, gives up its privileges, and reports until told to stop.
//
// Exit codes: 0 done; 2 wrong usage; 3 not permitted; 4 the kernel lacks
// something needed; 5 no such process; 6 attaching failed otherwise.
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "caps.h"
#include "procfs.h"
#include "session.h"

static void check_pids(const struct options *o) {
    for (unsigned i = 0; i < o->pid_count; i++) {
        struct proc_status status;

        if (!proc_start_ticks(o->pids[i]) || !proc_status(o->pids[i], &status))
            fail(EXIT_NO_PROCESS, "no process %d", o->pids[i]);
        if (status.tgid != o->pids[i])
            fail(EXIT_NO_PROCESS, "%d is a thread of process %d: give that",
                 o->pids[i], status.tgid);
    }
}

static void check_kernel(void) {
    if (access("/sys/kernel/btf/vmlinux", R_OK))
        fail(EXIT_KERNEL, "the kernel has no BTF (/sys/kernel/btf/vmlinux): "
                          "it needs CONFIG_DEBUG_INFO_BTF");
}

static void raise_open_files(unsigned processes) {
    struct rlimit files;

    getrlimit(RLIMIT_NOFILE, &files);
    if (files.rlim_cur < processes + 64) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
}

// What has to work after the privileges are gone.
static bool can_read_maps(void *argument) {
    struct probe *probe = argument;
    struct endpoint_key key;

    return !bpf_map_get_next_key(probe->endpoints_fd, NULL, &key) ||
           errno == ENOENT;
}

int main(int argc, char **argv) {
    struct options options;
    struct probe probe = {0};
    struct watched watched;
    struct reporter reporter;
    uint64_t keep = 0;

    parse_options(&options, argc, argv);
    check_pids(&options);
    caps_require();
    check_kernel();
    raise_open_files(options.max_processes);
    probe_load(&probe, &options);
    watched_init(&watched, &probe);
    report_init(&reporter, &options, &probe, &watched);
    probe_attach_lives(&probe);
    for (unsigned i = 0; i < options.pid_count; i++)
        if (!watched_add(&watched, options.pids[i]))
            fail(EXIT_NO_PROCESS, "process %d ended", options.pids[i]);
    report_processes(&reporter);
    probe_attach_calls(&probe, &options);
    reporter.attached_ns = monotonic_ns();
    watched_start(&watched);
    if (options.follow || options.stack_stride)
        keep = CAP_MASK(CAP_SYS_PTRACE) | CAP_MASK(CAP_DAC_READ_SEARCH);
    caps_drop(keep, can_read_maps, &probe);
    session_run(&reporter);
    return EXIT_OK;
}
