// SPDX-License-Identifier: GPL-2.0-or-later
#include "burst.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "attach.h"
#include "filter.h"
#include "function.h"
#include "polltrace.skel.h"
#include "procfs.h"
#include "reporter.h"
#include "shared.h"
#include "uprobes.h"

#define AT_ONCE 8
#define MOST_BURSTS 3 // of a process that hardly polls while looked at
#define LOOK_NS 1000000ull
#define WAIT_NS 100000000ull

struct running {
    bool active;
    uint32_t slot;
    int fd[MAX_FUNCTIONS];
    uint64_t start_ns;
};

static struct running running[AT_ONCE];
static unsigned active;
static int file[MAX_FUNCTIONS]; // kept open: what was checked is what is used

void bursts_check(const struct options *o) {
    for (unsigned i = 0; i < o->functions; i++) {
        const struct function *f = &o->function[i];

        file[i] = open(f->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        if (file[i] < 0)
            fail(EXIT_USAGE, "--function %s: %s", f->path, strerror(errno));
        if (!function_begins(file[i], f->offset))
            fail(EXIT_USAGE,
                 "--function %s:0x%llx: no function is known to begin there",
                 f->path, (unsigned long long)f->offset);
    }
}

void bursts_prepare(const struct reporter *r) {
    if (r->options->functions)
        uprobes_start(r->options, file,
                      bpf_program__fd(r->probe->skel->progs.function_call));
}

static const char *explain(int error) {
    if (error == ENOSYS)
        return "this kernel has no uprobes (CONFIG_UPROBE_EVENTS)";
    if (error == EPERM || error == EACCES)
        return "uprobes are not permitted: they take CAP_PERFMON, on newer "
               "and on Debian's kernels CAP_SYS_ADMIN";
    return strerror(error);
}

// In the watch mode polls are not counted all the time.
static bool open_gate(struct reporter *r) {
    if (r->options->mode != MODE_WATCH)
        return true;
    if (!probe_try_attach_calls(r->probe, r->options))
        return false;
    shared_store(r->probe, r->probe->globals->window_open, 1);
    return true;
}

static void close_gate(struct reporter *r) {
    if (r->options->mode != MODE_WATCH)
        return;
    shared_store(r->probe, r->probe->globals->window_open, 0);
    probe_detach_calls(r->probe);
}

static void close_all(const struct running *b, unsigned count) {
    while (count)
        close(b->fd[--count]);
}

static bool begin(struct reporter *r, struct running *b, uint32_t slot) {
    struct process *process = &r->watched->process[slot];
    struct burst burst = {.open = 1};

    *b = (struct running){.slot = slot, .start_ns = monotonic_ns()};
    for (unsigned i = 0; i < r->options->functions; i++) {
        b->fd[i] = uprobes_open(i, process->pid);
        if (b->fd[i] < 0) {
            process->calls.error = explain(errno);
            process->calls.done = true;
            close_all(b, i);
            return false;
        }
    }
    bpf_map_update_elem(r->probe->bursts_fd, &slot, &burst, BPF_ANY);
    process->calls.bursts++;
    b->active = true;
    active++;
    return true;
}

static void end(struct reporter *r, struct running *b) {
    struct calls *calls = &r->watched->process[b->slot].calls;
    struct burst seen = {0}, closed = {0};

    bpf_map_lookup_elem(r->probe->bursts_fd, &b->slot, &seen);
    bpf_map_update_elem(r->probe->bursts_fd, &b->slot, &closed, BPF_ANY);
    close_all(b, r->options->functions);
    calls->ns += monotonic_ns() - b->start_ns;
    if (seen.polls > 1) {
        calls->calls += seen.last - seen.first;
        calls->polls += seen.polls - 1;
    }
    calls->seen += seen.calls;
    calls->done = calls->polls || calls->bursts == MOST_BURSTS;
    b->active = false;
    if (!--active)
        close_gate(r);
}

static bool is_over(const struct reporter *r, const struct running *b,
                    uint64_t now) {
    struct burst seen = {0};

    if (r->watched->process[b->slot].stage != STAGE_KEPT ||
        now - b->start_ns >= r->options->burst_ns)
        return true;
    bpf_map_lookup_elem(r->probe->bursts_fd, &b->slot, &seen);
    return seen.calls >= r->options->burst_calls;
}

// A process is looked at once it polls: an idle one would tell nothing.
static bool is_due(const struct reporter *r, uint32_t slot) {
    struct process *process = &r->watched->process[slot];
    uint64_t breaks;
    bool polls;

    shared_pull_slot(r->probe, slot);
    breaks = slot_breaks(&r->probe->slots[slot]);
    polls = breaks != process->calls.breaks_before;
    process->calls.breaks_before = breaks;
    return polls;
}

static void begin_due(struct reporter *r) {
    for (uint32_t slot = 0; slot < r->watched->slots; slot++) {
        const struct process *process = &r->watched->process[slot];
        struct running *free = running;

        if (process->stage != STAGE_KEPT || process->calls.done)
            continue;
        while (free < running + AT_ONCE && free->active)
            free++;
        if (free == running + AT_ONCE || !is_due(r, slot))
            continue;
        if (!active && !open_gate(r))
            continue;
        if (!begin(r, free, slot) && !active)
            close_gate(r);
    }
}

static bool more_may_come(const struct reporter *r) {
    bool more = r->options->follow || filter_is_set();

    for (uint32_t slot = 0; slot < r->watched->slots && !more; slot++)
        more = r->watched->process[slot].stage == STAGE_KEPT &&
               !r->watched->process[slot].calls.done;
    return r->options->functions && more;
}

uint64_t bursts_step(struct reporter *r, uint64_t now) {
    for (unsigned i = 0; i < AT_ONCE; i++)
        if (running[i].active && is_over(r, &running[i], now))
            end(r, &running[i]);
    if (!active)
        begin_due(r);
    if (active)
        return now + LOOK_NS;
    if (more_may_come(r))
        return now + WAIT_NS;
    uprobes_stop();
    return UINT64_MAX;
}

bool bursts_run(void) {
    return active;
}

void bursts_end(struct reporter *r) {
    for (unsigned i = 0; i < AT_ONCE; i++)
        if (running[i].active)
            end(r, &running[i]);
}
