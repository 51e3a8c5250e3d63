// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/frames.h"

#include <bpf/bpf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>

#include "loader/own_cost.h"
#include "loader/shared.h"
#include "measurement/on_cpu.h"
#include "options/failure.h"
#include "output/counts.h"
#include "output/process_records.h"
#include "polltrace.skel.h"
#include "processes/filter.h"
#include "readers/procfs.h"
#include "unwind/tables.h"
#include "version.h"

static const char *const LOST_NAMES[LOST_KINDS] = {
    "processes", "endpoints",     "user_reads", "stacks",  "syscalls",
    "times",     "kernel_stacks", "threads",    "wakeups", "switches",
};

void report_init(struct reporter *r, const struct options *o,
                 struct probe *probe, struct watched *watched) {
    *r = (struct reporter){.options = o, .probe = probe, .watched = watched};
    snapshot_init(&r->endpoints, probe->endpoints_fd, o->max_processes * 4,
                  sizeof(struct endpoint_key), sizeof(struct endpoint));
    if (wants_stacks(r))
        snapshot_init(&r->stacks, probe->stacks_fd, o->max_stacks,
                      sizeof(struct stack_key), sizeof(struct stack_count));
    if (o->kernel) {
        snapshot_init(&r->kernel_stacks, probe->kernel_stacks_fd,
                      max_kernel_stacks(o), sizeof(struct kernel_stack),
                      sizeof(uint32_t));
        r->kernel_stacks.by_value = true;
    }
    if (o->mode == MODE_OFF_CPU)
        off_cpu_init(&r->off_cpu, watched);
    if (o->mode == MODE_TIME && !(r->times = malloc(sizeof(*r->times))))
        fail(EXIT_ATTACH, "out of memory");
    if (o->mode == MODE_SYSCALLS)
        snapshot_init(&r->syscalls, probe->syscalls_fd, o->max_processes * 32,
                      sizeof(struct syscall_key), sizeof(struct syscall_count));
}

static const char *reads_name(const struct probe *p) {
    return p->cast ? "mixed" : "helper";
}

static const char *unwinder_name(struct reporter *r) {
    if (!wants_stacks(r))
        return "none";
    return r->probe->unwinding ? "tables" : "frame-pointers";
}

// Printed first, though the records of the processes were made before
// attaching: their libc's call sites had to be known by then.
void report_header(struct reporter *r) {
    struct json records = r->json, *j = &r->json;
    struct timespec now;
    struct utsname uts;
    char text[32];
    struct tm utc;

    *j = (struct json){0};
    uname(&uts);
    clock_gettime(CLOCK_REALTIME, &now);
    strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ",
             gmtime_r(&now.tv_sec, &utc));
    record_begin(r, "header");
    json_key_unsigned(j, "format", 1);
    json_key_text(j, "probe", PROBE_VERSION);
    json_key_text(j, "host", uts.nodename);
    json_key_text(j, "kernel", uts.release);
    json_key_text(j, "arch", uts.machine);
    json_key_text(j, "time", text);
    json_key_seconds(j, "attached_s", r->attached_ns);
    json_key_text(j, "mode", MODE_NAMES[r->options->mode]);
    json_key_text(j, "variant", r->probe->variant->name);
    json_key_text(j, "reads", reads_name(r->probe));
    json_key_text(j, "unwinder", unwinder_name(r));
    json_key_seconds(j, "interval_s", r->options->interval_ns);
    json_key(j, "changed_only");
    json_bool(j, r->options->changed);
    json_list(j, "argv");
    for (int i = 0; i < r->options->argc; i++)
        json_text(j, r->options->argv[i]);
    json_close(j, ']');
    record_end(r);
    json_splice(j, &records);
}

static void add_lost(struct reporter *r, const struct own_cost *cost) {
    struct json *j = &r->json;

    json_key(j, "lost");
    json_open(j, '{');
    for (int kind = 0; kind < LOST_KINDS; kind++)
        json_key_unsigned(j, LOST_NAMES[kind], probe_lost(r->probe, kind));
    json_key_unsigned(j, "runs", cost->missed);
    json_key_unsigned(j, "windows", r->late_windows);
    json_key_unsigned(j, "unwind_tables", tables_refused());
    json_close(j, '}');
}

static double self_cpu_s(void) {
    struct rusage used;

    getrusage(RUSAGE_SELF, &used);
    return used.ru_utime.tv_sec + used.ru_utime.tv_usec * 1e-6 +
           used.ru_stime.tv_sec + used.ru_stime.tv_usec * 1e-6;
}

static void add_own_cost(struct reporter *r, const struct own_cost *cost) {
    struct json *j = &r->json;

    json_key(j, "own_cost");
    json_open(j, '{');
    json_key(j, "cpu_s");
    json_real(j, self_cpu_s());
    if (cost->timed) {
        json_key_seconds(j, "bpf_s", cost->ns);
        json_key_unsigned(j, "bpf_runs", cost->runs);
    }
    json_close(j, '}');
}

// A process that was not asked for by its id is gone from the frames after the
// one that holds its last counts: they come and go by the thousand.
static bool is_reported(struct reporter *r, uint32_t slot) {
    struct process *process = &r->watched->process[slot];

    return process->announced &&
           (process->stage == STAGE_KEPT || process->stage == STAGE_GONE);
}

// Whether it has not run since it was last printed, and so made no polls.
static bool is_still(struct reporter *r, uint32_t slot) {
    struct process *process = &r->watched->process[slot];
    const struct slot *counts = &r->probe->slots[slot];
    struct printed now = {
        .cpu_ns = watched_cpu_ns(r->watched, slot),
        .polls = slot_breaks(counts) + slot_others(counts),
        .stage = process->stage,
        .burst = process->calls.done,
    };
    bool same = !memcmp(&now, &process->printed, sizeof(now));

    process->printed = now;
    return same && r->options->changed;
}

static void retire_if_gone(struct reporter *r, uint32_t slot) {
    struct process *process = &r->watched->process[slot];

    if (process->stage == STAGE_GONE &&
        (r->probe->slots[slot].born != BORN_ATTACHED || filter_is_set()))
        watched_retire(r->watched, slot);
}

static uint64_t counted_until(const struct reporter *r) {
    return r->off_cpu.closed ? r->off_cpu.until_ns : monotonic_ns();
}

void report_frame(struct reporter *r, bool final) {
    struct own_cost cost = own_cost_read(r->probe);
    struct json *j = &r->json;

    shared_pull(r->probe);
    snapshot_take(&r->endpoints);
    if (r->options->mode == MODE_SYSCALLS)
        snapshot_take(&r->syscalls);
    if (wants_stacks(r))
        snapshot_take(&r->stacks);
    if (r->options->kernel)
        snapshot_take(&r->kernel_stacks);
    if (r->options->mode == MODE_OFF_CPU)
        off_cpu_read(&r->off_cpu, r->watched);
    if (r->options->mode == MODE_WATCH)
        r->watched->stolen = fmin(on_cpu_stolen(), 0.9);
    record_begin(r, "frame");
    json_key_unsigned(j, "seq", r->frames++);
    json_key_seconds(j, "t_s", counted_until(r) - r->attached_ns);
    json_key(j, "final");
    json_bool(j, final);
    json_list(j, "processes");
    for (uint32_t i = 0; i < r->watched->slots; i++) {
        if (!is_reported(r, i) || (is_still(r, i) && !final))
            continue;
        json_open(j, '{');
        record_identity(j, &r->watched->process[i]);
        add_counts(r, i);
        json_close(j, '}');
    }
    json_close(j, ']');
    if (r->options->mode == MODE_TIME)
        add_shared_times(r);
    add_lost(r, &cost);
    if (r->options->own_cost)
        add_own_cost(r, &cost);
    record_end(r);
    report_exits(r);
    for (uint32_t i = 0; i < r->watched->slots; i++)
        retire_if_gone(r, i);
}

static void reap_map(struct watched *w, struct snapshot *s,
                     const struct off_cpu *off) {
    if (!s->room)
        return;
    snapshot_take(s);
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t slot = snapshot_slot(s, i);

        if (slot >= w->slots || w->process[slot].stage != STAGE_RETIRED)
            continue;
        if (off) {
            struct stack_count seen;

            memcpy(&seen, snapshot_value(s, i), sizeof(seen));
            off_cpu_delete(off, seen.id);
        }
        bpf_map_delete_elem(s->fd, snapshot_key(s, i));
    }
}

void report_reap(struct reporter *r) {
    const struct off_cpu *off =
        r->options->mode == MODE_OFF_CPU ? &r->off_cpu : NULL;

    if (!r->watched->retired)
        return;
    reap_map(r->watched, &r->endpoints, NULL);
    reap_map(r->watched, &r->stacks, off);
    reap_map(r->watched, &r->syscalls, NULL);
    if (off)
        off_cpu_wipe(off, r->watched);
    watched_wipe(r->watched);
}

void report_trailer(struct reporter *r, const char *reason) {
    struct json *j = &r->json;

    record_begin(r, "trailer");
    json_key_text(j, "reason", reason);
    json_key_unsigned(j, "frames", r->frames);
    json_key_unsigned(j, "late_frames", r->late_frames);
    json_key(j, "self_cpu_s");
    json_real(j, self_cpu_s());
    record_end(r);
}
