// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/process_records.h"

#include <string.h>

#include "loader/shared.h"
#include "output/layout.h"
#include "polltrace.skel.h"
#include "processes/cmdlines.h"
#include "readers/procfs.h"
#include "unwind/layouts.h"

// A program's loader maps its libraries shortly after the exec, and a server
// maps more of them after its logon.
#define SETTLE_NS 2000000000ull
#define MAPS_AGAIN_NS 1000000000ull

static void report_process(struct reporter *r, uint32_t index) {
    struct process *process = &r->watched->process[index];
    const struct slot *slot = &r->probe->slots[index];
    char cmdline[CMDLINE_SIZE], exe[4096] = "", comm[16];
    struct proc_status status = {.ns_pid = process->pid};
    size_t size = cmdlines_read(process->pid, cmdline), at = 0;
    struct json *j = &r->json;

    if (!proc_comm(process->pid, comm)) {
        memcpy(comm, slot->comm, sizeof(comm));
        comm[sizeof(comm) - 1] = 0;
    }
    proc_status(process->pid, &status);
    proc_exe(process->pid, exe, sizeof(exe));
    record_begin(r, "process");
    record_identity(j, process);
    json_key_text(j, "comm", comm);
    json_list(j, "cmdline");
    while (at < size) {
        size_t length = strnlen(cmdline + at, size - at);

        json_text_n(j, cmdline + at, length);
        at += length + 1;
    }
    json_close(j, ']');
    json_key_text(j, "exe", exe);
    json_key_unsigned(j, "uid", status.uid);
    json_key_unsigned(j, "ns_pid", status.ns_pid);
    json_key_unsigned(j, "parent", slot->parent);
    record_end(r);
}

static void report_layout(struct reporter *r, uint32_t index) {
    struct process *process = &r->watched->process[index];
    struct slot *slot = &r->probe->slots[index];

    // Before they are read: one that comes meanwhile has them read again.
    process->files_hang = !cmdlines_files_answer(process->pid);
    process->mappings =
        process->files_hang ? 0 : layout_signature(process->pid);
    record_begin(r, "maps");
    record_identity(&r->json, process);
    json_key(&r->json, "maps");
    if (process->files_hang) {
        json_open(&r->json, '[');
        json_close(&r->json, ']');
    } else {
        layout_read(r->probe, process->pid, slot->tgid, &r->json);
    }
    shared_store(r->probe, slot->image, slot->tgid);
    record_end(r);
}

// Of a process that was there before us, the libraries are too.
static bool has_mapped_more(const struct process *process, uint64_t now) {
    return now < process->settled_ns && !process->files_hang &&
           layout_signature(process->pid) != process->mappings;
}

// A walk met code that was not mapped when the mappings were read: a library
// was loaded, or it was no code. Looked at once a second.
static bool has_left_mappings(struct reporter *r, uint32_t index,
                              uint64_t now) {
    struct process *process = &r->watched->process[index];

    if (process->files_hang || now < process->maps_again_ns ||
        !layouts_missed(r->probe, index, &process->misses))
        return false;
    process->maps_again_ns = now + MAPS_AGAIN_NS;
    process->files_hang = !cmdlines_files_answer(process->pid);
    return !process->files_hang &&
           layout_signature(process->pid) != process->mappings;
}

void report_processes(struct reporter *r) {
    uint64_t now = monotonic_ns();
    bool missed = r->probe->unwinding && r->probe->globals->unwind_missed_any;

    for (uint32_t i = 0; i < r->watched->slots; i++) {
        struct process *process = &r->watched->process[i];
        const struct slot *slot = &r->probe->slots[i];
        bool is_new = !process->announced || process->execs != slot->execs;

        if (process->stage != STAGE_KEPT && process->stage != STAGE_GONE)
            continue;
        if (is_new) {
            process->announced = true;
            process->execs = slot->execs;
            if (slot->born != BORN_ATTACHED || slot->execs)
                process->settled_ns = now + SETTLE_NS;
            report_process(r, i);
        }
        if (wants_stacks(r) && process->stage == STAGE_KEPT &&
            (is_new || has_mapped_more(process, now) ||
             (missed && has_left_mappings(r, i, now))))
            report_layout(r, i);
    }
}

void report_exits(struct reporter *r) {
    for (uint32_t i = 0; i < r->watched->slots; i++) {
        struct process *process = &r->watched->process[i];

        if (!process->announced || process->stage != STAGE_GONE ||
            process->exit_reported)
            continue;
        process->exit_reported = true;
        record_begin(r, "exit");
        record_identity(&r->json, process);
        json_key_seconds(&r->json, "t_s",
                         process->ended_ns > r->attached_ns
                             ? process->ended_ns - r->attached_ns
                             : 0);
        json_key_seconds(&r->json, "cpu_s", watched_cpu_ns(r->watched, i));
        json_key_unsigned(&r->json, "break_polls",
                          slot_breaks(&r->probe->slots[i]));
        json_key_unsigned(&r->json, "other_polls",
                          slot_others(&r->probe->slots[i]));
        record_end(r);
    }
}
