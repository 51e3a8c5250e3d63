// SPDX-License-Identifier: GPL-2.0-or-later
#include "loader/own_cost.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "polltrace.skel.h"

static bool timed;

void own_cost_enable(void) {
    // Kept open on purpose. They take CAP_SYS_ADMIN, which is more than all
    // else here. Before Linux 5.8 there is only a sysctl, which would stay on
    // behind a probe that is killed: then they are not known.
    timed = bpf_enable_stats(BPF_STATS_RUN_TIME) >= 0;
}

struct own_cost own_cost_read(const struct probe *p) {
    struct own_cost cost = {.timed = timed};
    struct bpf_program *program;

    bpf_object__for_each_program(program, p->skel->obj) {
        struct bpf_prog_info info = {0};
        __u32 size = sizeof(info);
        int fd = bpf_program__fd(program);

        if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &size))
            continue;
        cost.ns += info.run_time_ns;
        cost.runs += info.run_cnt;
        cost.missed += info.recursion_misses;
    }
    return cost;
}
