// SPDX-License-Identifier: GPL-2.0-or-later
#include "processes/watched.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "loader/namespace.h"
#include "loader/shared.h"
#include "options/failure.h"
#include "processes/filter.h"
#include "readers/procfs.h"

// A new process that the filter does not want by then is dropped.
#define DECIDE_NS 1000000000ull

static bool claim(struct watched *w, enum claim_kind kind, uint32_t what) {
    uint64_t key = (uint64_t)kind << 32 | what;
    uint32_t taken = 1;

    return !bpf_map_update_elem(w->probe->claims_fd, &key, &taken, BPF_NOEXIST);
}

static void unclaim(struct watched *w, enum claim_kind kind, uint32_t what) {
    uint64_t key = (uint64_t)kind << 32 | what;

    bpf_map_delete_elem(w->probe->claims_fd, &key);
}

static void set_bucket(struct watched *w, uint32_t index, uint32_t tgid) {
    struct bucket *bucket = &w->probe->buckets[index / BUCKET_WAYS];

    shared_store(w->probe, bucket->tgid[index % BUCKET_WAYS], tgid);
}

void watched_init(struct watched *w, struct probe *probe,
                  const struct options *o) {
    *w = (struct watched){
        .options = o,
        .probe = probe,
        .slots = probe->rows * BUCKET_WAYS,
        .blocks = o->mode == MODE_TIME ? o->max_histograms : 0,
    };
    w->process = calloc(w->slots, sizeof(*w->process));
    w->block_used = calloc(w->blocks + 1, sizeof(bool));
    if (!w->process || !w->block_used)
        fail(EXIT_ATTACH, "out of memory");
}

static uint32_t take_block(struct watched *w) {
    for (uint32_t block = 1; block <= w->blocks; block++) {
        if (!w->block_used[block]) {
            w->block_used[block] = true;
            return block;
        }
    }
    return 0; // shared by all that found none
}

static void keep(struct watched *w, uint32_t index) {
    struct process *process = &w->process[index];

    process->stage = STAGE_KEPT;
    process->pidfd = syscall(SYS_pidfd_open, process->pid, 0); // Linux 5.3
    shared_store(w->probe, w->probe->slots[index].times, take_block(w));
    w->alive++;
}

// The same as checks_of() in the kernel.
static uint16_t checks_of(const struct watched *w, int pid) {
    static const char DELETED[] = " (deleted)";
    char path[4096] = "", *name, *deleted;

    if (!proc_exe(pid, path, sizeof(path)) || !(name = strrchr(path, '/')))
        return CALL_POLL;
    deleted = strstr(name, DELETED);
    if (deleted && !deleted[sizeof(DELETED) - 1])
        *deleted = 0;
    for (unsigned i = 0; i < w->options->rules; i++)
        if (!strcmp(w->options->rule[i].executable, name + 1))
            return w->options->rule[i].calls;
    return CALL_POLL;
}

static bool undo_add(struct watched *w, uint32_t index, int tgid) {
    set_bucket(w, index, 0);
    shared_store(w->probe, w->probe->slots[index].state, SLOT_FREE);
    unclaim(w, CLAIM_SLOT, index);
    unclaim(w, CLAIM_TGID, tgid);
    return false;
}

// The same steps as adopt() in the kernel, in the same order.
bool watched_add(struct watched *w, int pid) {
    uint64_t ticks = proc_start_ticks(pid);
    uint32_t tgid = namespace_to_kernel(pid), row;

    if (!ticks || !tgid)
        return false;
    if (!claim(w, CLAIM_TGID, tgid))
        return true; // given twice, or the kernel side was faster
    row = tgid & (w->probe->rows - 1);
    for (uint32_t way = 0; way < BUCKET_WAYS; way++) {
        uint32_t index = row * BUCKET_WAYS + way;
        struct slot *slot = &w->probe->slots[index];

        if (!claim(w, CLAIM_SLOT, index))
            continue;
        slot->tgid = tgid;
        slot->pid = pid;
        slot->image = tgid;
        slot->until_stack = 1;
        proc_comm(pid, slot->comm);
        slot->checks = checks_of(w, pid);
        __atomic_store_n(&slot->state, SLOT_LIVE, __ATOMIC_SEQ_CST);
        shared_put_slot(w->probe, index);
        set_bucket(w, index, tgid);
        // It may have ended before the kernel side watched it.
        if (proc_start_ticks(pid) != ticks)
            return undo_add(w, index, tgid);
        w->process[index] =
            (struct process){.pid = pid, .start_ticks = ticks, .pidfd = -1};
        keep(w, index);
        return true;
    }
    unclaim(w, CLAIM_TGID, tgid);
    fail(EXIT_ATTACH, "no room for process %d: raise --max-processes", pid);
}

static void add_one(void *watched, int pid) {
    watched_add(watched, pid);
}

void watched_add_all(struct watched *w) {
    filter_each(add_one, w);
}

static void start(struct process *process) {
    process->cpu_before_ns = proc_cpu_ns(process->pid);
}

void watched_start(struct watched *w) {
    for (uint32_t index = 0; index < w->slots; index++)
        if (w->process[index].stage == STAGE_KEPT)
            start(&w->process[index]);
}

static void notice(struct watched *w, uint32_t index, uint64_t now) {
    uint64_t tick_ns = 1000000000 / sysconf(_SC_CLK_TCK);
    const struct slot *slot = &w->probe->slots[index];

    w->process[index] = (struct process){
        .stage = STAGE_PENDING,
        .pid = slot->pid,
        .pidfd = -1,
        .since_ns = now,
        .execs = slot->execs,
        .start_ticks = slot->start_ns / tick_ns,
    };
}

// A process that ended before the filter decided, and never called exec, had
// its parent's command line.
static bool is_kept(const struct watched *w, uint32_t tgid) {
    for (uint32_t index = 0; index < w->slots; index++)
        if (w->process[index].stage == STAGE_KEPT &&
            w->probe->slots[index].tgid == tgid)
            return true;
    return false;
}

// The filter is tried on a new process until it matches or the process is a
// second old: a server that was just forked still has its listener's name. An
// exec restarts that second.
static void decide(struct watched *w, uint32_t index, bool gone, uint64_t now) {
    const struct slot *slot = &w->probe->slots[index];
    struct process *process = &w->process[index];

    if (process->execs != slot->execs) {
        process->execs = slot->execs;
        process->since_ns = now;
    }
    if (!process->pid)
        watched_retire(w, index); // in another PID namespace
    else if (!filter_is_set() || filter_wants(process->pid, slot->comm))
        keep(w, index);
    else if (gone && slot->born == BORN_FORKED && !slot->execs &&
             is_kept(w, slot->parent))
        keep(w, index);
    else if (gone || now - process->since_ns > DECIDE_NS)
        watched_retire(w, index);
}

static void end(struct watched *w, uint32_t index) {
    struct process *process = &w->process[index];

    process->stage = STAGE_GONE;
    process->ended_ns = monotonic_ns();
    process->cpu_ns = w->probe->slots[index].exit_cpu_ns;
    if (process->pidfd >= 0)
        close(process->pidfd);
    process->pidfd = -1;
    w->alive--;
}

void watched_scan(struct watched *w, uint64_t now) {
    filter_refresh();
    shared_pull(w->probe);
    for (uint32_t index = 0; index < w->slots; index++) {
        struct slot *slot = &w->probe->slots[index];
        uint32_t state = __atomic_load_n(&slot->state, __ATOMIC_ACQUIRE);
        struct process *process = &w->process[index];

        if (state == SLOT_FREE || process->stage == STAGE_RETIRED)
            continue;
        if (process->stage == STAGE_FREE)
            notice(w, index, now);
        if (process->stage == STAGE_PENDING)
            decide(w, index, state == SLOT_GONE, now);
        if (process->stage == STAGE_KEPT && state == SLOT_GONE)
            end(w, index);
    }
}

void watched_retire(struct watched *w, uint32_t index) {
    struct slot *slot = &w->probe->slots[index];
    struct process *process = &w->process[index];

    shared_pull_slot(w->probe, index);
    if (slot->state == SLOT_LIVE) {
        set_bucket(w, index, 0);
        unclaim(w, CLAIM_TGID, slot->tgid);
    }
    process->stage = STAGE_RETIRED;
    w->retired++;
}

// A program on another CPU may still count into the slot when it is retired;
// it has long ended when the slot is wiped, one scan later.
void watched_wipe(struct watched *w) {
    static const struct times zero;

    for (uint32_t index = 0; index < w->slots && w->retired; index++) {
        struct slot *slot = &w->probe->slots[index];

        if (w->process[index].stage != STAGE_RETIRED)
            continue;
        if (slot->times) {
            bpf_map_update_elem(w->probe->times_fd, &slot->times, &zero,
                                BPF_ANY);
            w->block_used[slot->times] = false;
        }
        memset(slot, 0, sizeof(*slot));
        shared_put_slot(w->probe, index);
        memset(&w->process[index], 0, sizeof(w->process[index]));
        for (uint32_t way = 0; way < FD_WAYS; way++)
            unclaim(w, CLAIM_WAY, index * FD_WAYS + way);
        unclaim(w, CLAIM_SLOT, index);
        w->retired--;
    }
}

// Two clocks tell the time of a process: the kernel's own as it ends is not
// always ahead of what was read before.
static uint64_t since(uint64_t now, uint64_t before) {
    return now > before ? now - before : 0;
}

uint64_t watched_cpu_ns(struct watched *w, uint32_t index) {
    struct process *process = &w->process[index];
    uint64_t now = process->stage == STAGE_KEPT ? proc_cpu_ns(process->pid) : 0;

    if (now)
        process->cpu_ns = now;
    return since(process->cpu_ns, process->cpu_before_ns);
}

uint64_t slot_breaks(const struct slot *slot) {
    uint64_t polls = slot->long_breaks;

    for (unsigned i = 0; i < FD_WAYS; i++)
        if (slot->way[i].breaks)
            polls += slot->way[i].polls;
    return polls;
}

uint64_t slot_others(const struct slot *slot) {
    uint64_t polls = slot->other_polls;

    for (unsigned i = 0; i < FD_WAYS; i++)
        if (!slot->way[i].breaks)
            polls += slot->way[i].polls;
    return polls;
}
