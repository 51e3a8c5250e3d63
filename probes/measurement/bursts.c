// SPDX-License-Identifier: GPL-2.0-or-later
#include "measurement/bursts.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "loader/attach.h"
#include "loader/shared.h"
#include "measurement/uprobes.h"
#include "options/failure.h"
#include "polltrace.skel.h"
#include "processes/filter.h"
#include "readers/function_start.h"
#include "readers/procfs.h"

#define MAX_BURSTS 3         // of a process that hardly polls during them
#define CHECK_NS 1000000ull  // between checks whether a burst is over
#define WAIT_NS 100000000ull // between checks whether one is due

struct running {
    bool active;
    uint32_t slot;
    uint64_t start_ns;
};

static struct running running[UPROBE_PLACES];
static unsigned active;
static int
    file[MAX_FUNCTIONS]; // kept open: the file used is the one that was checked

// Whether an earlier function is the same one, by whatever path: of two uprobes
// in one place each counts every call.
static bool is_given(const struct options *o, unsigned i) {
    struct stat mine, other;

    if (fstat(file[i], &mine))
        return false;
    for (unsigned k = 0; k < i; k++)
        if (o->function[k].offset == o->function[i].offset &&
            !fstat(file[k], &other) && other.st_dev == mine.st_dev &&
            other.st_ino == mine.st_ino)
            return true;
    return false;
}

void bursts_check(struct options *o) {
    for (unsigned i = 0; i < o->functions; i++) {
        const struct function *f = &o->function[i];

        file[i] = open(f->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
        if (file[i] < 0)
            fail(EXIT_USAGE, "--function %s: %s", f->path, strerror(errno));
        if (!function_begins(file[i], f->offset))
            fail(EXIT_USAGE,
                 "--function %s:0x%llx: no function is known to begin there",
                 f->path, (unsigned long long)f->offset);
        if (is_given(o, i)) {
            close(file[i]);
            o->function[i--] = o->function[--o->functions];
        }
    }
}

void bursts_prepare(const struct watched *w) {
    if (w->options->functions)
        uprobes_start(w->options, file,
                      bpf_program__fd(w->probe->skel->progs.function_call));
}

static const char INTERRUPTED[] =
    "interrupted: the probe was suspended while it counted calls";

static const char *explain(int error) {
    if (error == ENOSYS)
        return "this kernel has no uprobes (CONFIG_UPROBE_EVENTS)";
    if (error == EPIPE)
        return INTERRUPTED;
    if (error == EPERM || error == EACCES)
        return "uprobes are not permitted: they take CAP_PERFMON, on newer "
               "and on Debian's kernels CAP_SYS_ADMIN";
    return strerror(error);
}

// In the watch mode polls are not counted all the time.
static bool open_gate(struct watched *w) {
    if (w->options->mode != MODE_WATCH)
        return true;
    if (!probe_try_attach_calls(w->probe))
        return false;
    shared_store(w->probe, w->probe->globals->window_open, 1);
    return true;
}

static void close_gate(struct watched *w) {
    if (w->options->mode != MODE_WATCH)
        return;
    shared_store(w->probe, w->probe->globals->window_open, 0);
    probe_detach_calls(w->probe);
}

static bool begin(struct watched *w, struct running *b, uint32_t slot) {
    struct process *process = &w->process[slot];
    struct burst burst = {.open = 1};

    *b = (struct running){.slot = slot, .start_ns = monotonic_ns()};
    if (uprobes_place(b - running, process->pid)) {
        process->calls.error = explain(errno);
        process->calls.done = true;
        return false;
    }
    bpf_map_update_elem(w->probe->bursts_fd, &slot, &burst, BPF_ANY);
    process->calls.bursts++;
    b->active = true;
    active++;
    return true;
}

static void end(struct watched *w, struct running *b) {
    struct calls *calls = &w->process[b->slot].calls;
    struct burst seen = {0}, closed = {0};
    bool was_there;

    bpf_map_lookup_elem(w->probe->bursts_fd, &b->slot, &seen);
    bpf_map_update_elem(w->probe->bursts_fd, &b->slot, &closed, BPF_ANY);
    was_there = uprobes_remove(b - running);
    calls->ns += monotonic_ns() - b->start_ns;
    if (was_there && seen.polls > 1) {
        calls->calls += seen.last - seen.first;
        calls->polls += seen.polls - 1;
    }
    calls->seen += seen.calls;
    calls->done = calls->polls || calls->bursts == MAX_BURSTS;
    if (!was_there && calls->done && !calls->polls)
        calls->error = INTERRUPTED;
    b->active = false;
    if (!--active)
        close_gate(w);
}

static bool is_over(const struct watched *w, const struct running *b,
                    uint64_t now) {
    struct burst seen = {0};

    if (w->process[b->slot].stage != STAGE_KEPT ||
        now - b->start_ns >= w->options->burst_ns)
        return true;
    bpf_map_lookup_elem(w->probe->bursts_fd, &b->slot, &seen);
    return seen.calls >= w->options->burst_calls;
}

// A burst waits until the process polls: an idle one has no calls to count.
static bool is_due(const struct watched *w, uint32_t slot) {
    struct process *process = &w->process[slot];
    uint64_t breaks;
    bool polls;

    shared_pull_slot(w->probe, slot);
    breaks = slot_breaks(&w->probe->slots[slot]);
    polls = breaks != process->calls.breaks_before;
    process->calls.breaks_before = breaks;
    return polls;
}

static void begin_due(struct watched *w) {
    for (uint32_t slot = 0; slot < w->slots; slot++) {
        const struct process *process = &w->process[slot];
        struct running *free = running;

        if (process->stage != STAGE_KEPT || process->calls.done)
            continue;
        while (free < running + UPROBE_PLACES && free->active)
            free++;
        if (free == running + UPROBE_PLACES || !is_due(w, slot))
            continue;
        if (!active && !open_gate(w))
            continue;
        if (!begin(w, free, slot) && !active)
            close_gate(w);
    }
}

static bool more_may_come(const struct watched *w) {
    bool more = w->options->follow || filter_is_set();

    for (uint32_t slot = 0; slot < w->slots && !more; slot++)
        more = w->process[slot].stage == STAGE_KEPT &&
               !w->process[slot].calls.done;
    return w->options->functions && more;
}

uint64_t bursts_step(struct watched *w, uint64_t now) {
    for (unsigned i = 0; i < UPROBE_PLACES; i++)
        if (running[i].active && is_over(w, &running[i], now))
            end(w, &running[i]);
    if (!active)
        begin_due(w);
    if (active)
        return now + CHECK_NS;
    if (more_may_come(w))
        return now + WAIT_NS;
    uprobes_stop();
    return UINT64_MAX;
}

bool bursts_run(void) {
    return active;
}

void bursts_end(struct watched *w) {
    for (unsigned i = 0; i < UPROBE_PLACES; i++)
        if (running[i].active)
            end(w, &running[i]);
}
