// SPDX-License-Identifier: GPL-2.0-only
#include "watched.h"

#include <bpf/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "procfs.h"

static bool claim(struct watched *w, enum claim_kind kind, uint32_t what) {
    uint64_t key = (uint64_t)kind << 32 | what;
    uint32_t taken = 1;

    return !bpf_map_update_elem(w->probe->claims_fd, &key, &taken, BPF_NOEXIST);
}

static void unclaim(struct watched *w, enum claim_kind kind, uint32_t what) {
    uint64_t key = (uint64_t)kind << 32 | what;

    bpf_map_delete_elem(w->probe->claims_fd, &key);
}

void watched_init(struct watched *w, struct probe *probe) {
    *w = (struct watched){.probe = probe, .slots = probe->rows * BUCKET_WAYS};
    w->process = calloc(w->slots, sizeof(*w->process));
    if (!w->process)
        fail(EXIT_ATTACH, "out of memory");
}

static void note(struct watched *w, uint32_t index, int pid,
                 uint64_t start_ticks) {
    w->process[index] = (struct process){
        .used = true,
        .pid = pid,
        .start_ticks = start_ticks,
        .pidfd = syscall(SYS_pidfd_open, pid, 0), // -1 before Linux 5.3
    };
    w->count++;
    w->alive++;
}

// The same steps as adopt() in the kernel, in the same order.
bool watched_add(struct watched *w, int pid) {
    uint32_t row = pid & (w->probe->rows - 1);
    uint64_t ticks = proc_start_ticks(pid);

    if (!ticks)
        return false;
    if (!claim(w, CLAIM_TGID, pid))
        return true; // given twice
    for (uint32_t way = 0; way < BUCKET_WAYS; way++) {
        uint32_t index = row * BUCKET_WAYS + way;
        struct slot *slot = &w->probe->slots[index];

        if (!claim(w, CLAIM_SLOT, index))
            continue;
        slot->tgid = pid;
        slot->pid = pid;
        slot->image = pid;
        slot->until_stack = 1;
        proc_comm(pid, slot->comm);
        __atomic_store_n(&slot->state, SLOT_LIVE, __ATOMIC_RELEASE);
        __atomic_store_n(&w->probe->buckets[row].tgid[way], pid,
                         __ATOMIC_RELEASE);
        // It may have ended before the kernel could know we care.
        if (proc_start_ticks(pid) != ticks) {
            __atomic_store_n(&w->probe->buckets[row].tgid[way], 0,
                             __ATOMIC_RELEASE);
            slot->state = SLOT_FREE;
            unclaim(w, CLAIM_SLOT, index);
            unclaim(w, CLAIM_TGID, pid);
            return false;
        }
        note(w, index, pid, ticks);
        return true;
    }
    unclaim(w, CLAIM_TGID, pid);
    fail(EXIT_ATTACH, "no room for process %d: raise --max-processes", pid);
}

void watched_start(struct watched *w) {
    for (uint32_t index = 0; index < w->slots; index++)
        if (w->process[index].used)
            w->process[index].cpu_before_ns =
                proc_cpu_ns(w->process[index].pid);
}

void watched_scan(struct watched *w) {
    uint64_t tick_ns = 1000000000 / sysconf(_SC_CLK_TCK);

    for (uint32_t index = 0; index < w->slots; index++) {
        struct slot *slot = &w->probe->slots[index];
        uint32_t state = __atomic_load_n(&slot->state, __ATOMIC_ACQUIRE);
        struct process *process = &w->process[index];

        if (state == SLOT_FREE)
            continue;
        if (!process->used)
            note(w, index, slot->tgid, slot->start_ns / tick_ns);
        if (state == SLOT_GONE && !process->gone) {
            process->gone = true;
            process->cpu_ns = slot->exit_cpu_ns;
            if (process->pidfd >= 0)
                close(process->pidfd);
            process->pidfd = -1;
            w->alive--;
        }
    }
}

void watched_release(struct watched *w, uint32_t index) {
    struct slot *slot = &w->probe->slots[index];

    memset(slot, 0, sizeof(*slot));
    memset(&w->process[index], 0, sizeof(w->process[index]));
    for (uint32_t way = 0; way < FD_WAYS; way++)
        unclaim(w, CLAIM_WAY, index * FD_WAYS + way);
    unclaim(w, CLAIM_SLOT, index);
    w->count--;
}

uint64_t watched_cpu_ns(struct watched *w, uint32_t index) {
    struct process *process = &w->process[index];
    uint64_t now = process->gone ? 0 : proc_cpu_ns(process->pid);

    if (now)
        process->cpu_ns = now;
    return process->cpu_ns > process->cpu_before_ns
               ? process->cpu_ns - process->cpu_before_ns
               : 0;
}
