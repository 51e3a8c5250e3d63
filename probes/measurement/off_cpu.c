// SPDX-License-Identifier: GPL-2.0-or-later
#include "measurement/off_cpu.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/membarrier.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "loader/shared.h"
#include "options/failure.h"
#include "polltrace.skel.h"
#include "readers/procfs.h"

void off_cpu_init(struct off_cpu *off, const struct watched *w) {
    const struct options *o = w->options;

    snapshot_init(&off->threads, w->probe->threads_fd, max_threads(o),
                  sizeof(uint32_t), sizeof(struct thread));
    off->threads.by_value = true;
    snapshot_init(&off->times, w->probe->off_times_fd, o->max_stacks,
                  sizeof(uint64_t), sizeof(struct off_time));
    off->cpu_ns = calloc(w->slots, sizeof(*off->cpu_ns));
    if (!off->cpu_ns)
        fail(EXIT_ATTACH, "out of memory");
}

// Every program that runs, and every switch of tasks that is going on, ends. A
// kernel with processors without a tick refuses it: there the risk remains.
static void wait_for_events(void) {
    syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0);
}

uint64_t off_cpu_open(struct probe *p) {
    uint64_t now;

    shared_store(p, p->globals->off_seeding, 1);
    now = monotonic_ns();
    shared_store(p, p->globals->off_since, now);
    return now;
}

void off_cpu_seed(struct probe *p) {
    struct bpf_link *link =
        bpf_program__attach_iter(p->skel->progs.seed_threads, NULL);
    int fd = link ? bpf_iter_create(bpf_link__fd(link)) : -1;
    ssize_t got;
    char nothing[8];

    if (fd < 0)
        fail(EXIT_ATTACH, "cannot list the kernel's tasks: %s",
             strerror(errno));
    // Of a switch that is going on, and whose program found us closed, the
    // iterator might see either half.
    wait_for_events();
    // EAGAIN: a million tasks are gone through, there are more.
    do
        got = read(fd, nothing, sizeof(nothing));
    while (got > 0 || (got < 0 && errno == EAGAIN));
    close(fd);
    bpf_link__destroy(link);
    shared_store(p, p->globals->off_seeding, 0);
}

static void read_cpu(struct off_cpu *off, struct watched *w, enum stage stage) {
    for (uint32_t slot = 0; slot < w->slots; slot++)
        if (w->process[slot].stage == stage)
            off->cpu_ns[slot] = watched_cpu_ns(w, slot);
}

static void read_clocks(struct off_cpu *off, struct watched *w) {
    off->until_ns = monotonic_ns();
    read_cpu(off, w, STAGE_KEPT);
    read_cpu(off, w, STAGE_GONE);
}

void off_cpu_close(struct off_cpu *off, struct watched *w) {
    shared_store(w->probe, w->probe->globals->off_since, 0);
    read_clocks(off, w);
    wait_for_events();
    watched_scan(w, monotonic_ns());
    read_cpu(off, w, STAGE_GONE); // the clock went with the process
    off->closed = true;
}

static uint64_t latest(const struct snapshot *threads, uint64_t ns) {
    for (uint32_t at = 0; at < threads->count; at++) {
        struct thread thread;

        memcpy(&thread, snapshot_value(threads, at), sizeof(thread));
        if (thread.left > ns)
            ns = thread.left;
        if (thread.woken > ns)
            ns = thread.woken;
        if (thread.entered > ns)
            ns = thread.entered;
    }
    return ns;
}

// A program that ran when we closed may have read the clock after us.
void off_cpu_read(struct off_cpu *off, struct watched *w) {
    if (!off->closed)
        read_clocks(off, w);
    snapshot_take(&off->threads);
    snapshot_take(&off->times);
    off->until_ns = latest(&off->threads, off->until_ns);
}

// In a frame before the last, a switch may come after the clock was read.
static uint64_t span(uint64_t from, uint64_t until) {
    return until > from ? until - from : 0;
}

static void add_open(struct off_sum *sum, const struct thread *thread,
                     uint64_t until) {
    uint64_t woken = thread->woken ? thread->woken : until;

    if (thread->entered)
        sum->on_cpu_ns += span(thread->entered, until);
    if (thread->entered && thread->left)
        sum->blocked_ns += thread->entered - thread->left;
    if (thread->entered)
        return;
    sum->open++;
    sum->blocked_ns += span(thread->left, woken < until ? woken : until);
    sum->queued_ns += span(woken, until);
}

// Ids are unique as a whole; a snapshot is sorted by their lower half.
static void add_ended(const struct off_cpu *off, struct off_sum *sum,
                      uint64_t stack) {
    uint32_t at = snapshot_find(&off->times, (uint32_t)stack);

    for (; snapshot_slot(&off->times, at) == (uint32_t)stack; at++) {
        struct off_time time;
        uint64_t id;

        memcpy(&id, snapshot_key(&off->times, at), sizeof(id));
        if (id != stack)
            continue;
        memcpy(&time, snapshot_value(&off->times, at), sizeof(time));
        sum->blocked_ns += time.blocked_ns;
        sum->queued_ns += time.queued_ns;
        sum->before += time.before;
    }
}

struct off_sum off_cpu_sum(const struct off_cpu *off, uint32_t slot,
                           uint64_t stack) {
    uint32_t at = snapshot_find(&off->threads, slot);
    struct off_sum sum = {0};

    if (stack != ALL_STACKS)
        add_ended(off, &sum, stack);
    for (; snapshot_slot(&off->threads, at) == slot; at++) {
        struct thread thread;

        memcpy(&thread, snapshot_value(&off->threads, at), sizeof(thread));
        if (stack != ALL_STACKS && thread.stack != stack)
            continue;
        add_open(&sum, &thread, off->until_ns);
        sum.threads++;
        sum.alive_ns += span(thread.begun, off->until_ns);
    }
    return sum;
}

void off_cpu_delete(const struct off_cpu *off, uint64_t stack) {
    bpf_map_delete_elem(off->times.fd, &stack);
}

void off_cpu_wipe(const struct off_cpu *off, const struct watched *w) {
    static const struct off_total zero;

    for (uint32_t slot = 0; slot < w->slots; slot++) {
        if (w->process[slot].stage != STAGE_RETIRED)
            continue;
        bpf_map_update_elem(w->probe->off_totals_fd, &slot, &zero, BPF_ANY);
        off->cpu_ns[slot] = 0;
    }
}
