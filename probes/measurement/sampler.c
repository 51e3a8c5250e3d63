// SPDX-License-Identifier: GPL-2.0-or-later
#include "measurement/sampler.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "loader/perf.h"
#include "options/failure.h"
#include "polltrace.skel.h"

static int *event;
static int events;
static uint64_t mean_period_ns;

// Within a fifth of the mean, so that no loop of the target keeps step.
static uint64_t draw_period(void) {
    return mean_period_ns * 4 / 5 +
           (uint64_t)random() % (mean_period_ns * 2 / 5);
}

void sampler_start(struct probe *p, unsigned hz) {
    int cpus = libbpf_num_possible_cpus();

    mean_period_ns = 1000000000 / hz;
    srandom(getpid());
    event = calloc(cpus > 0 ? cpus : 1, sizeof(*event));
    if (!event)
        fail(EXIT_ATTACH, "out of memory");
    for (int cpu = 0; cpu < cpus; cpu++) {
        struct perf_event_attr attr = {
            .type = PERF_TYPE_SOFTWARE,
            .config = PERF_COUNT_SW_CPU_CLOCK,
            .size = sizeof(attr),
            .sample_period = draw_period(),
        };
        int fd = perf_open(&attr, -1, cpu);

        if (fd < 0 && errno == ENODEV)
            continue; // the CPU is offline
        if (fd < 0 ||
            !bpf_program__attach_perf_event(p->skel->progs.cpu_sample, fd))
            fail(errno == EPERM || errno == EACCES ? EXIT_NOT_PERMITTED
                                                   : EXIT_ATTACH,
                 "cannot sample CPU %d: %s", cpu, perf_why(errno));
        event[events++] = fd;
    }
}

void sampler_jitter(void) {
    for (int i = 0; i < events; i++) {
        uint64_t period = draw_period();

        ioctl(event[i], PERF_EVENT_IOC_PERIOD, &period);
    }
}
