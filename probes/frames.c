// SPDX-License-Identifier: GPL-2.0-only
#include "frames.h"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <time.h>

#include "layout.h"
#include "procfs.h"
#include "syscall_names.h"

static const char *const LOST_NAMES[LOST_KINDS] = {
    "processes", "endpoints", "user_reads", "stacks", "syscalls", "times",
};
static const char *const END_NAMES[] = {
    "unknown", "tcp", "tcp6", "unix", "socket", "file", "bad",
};
static const char *const STACK_NAMES[] = {"poll", "cpu"};
static const char *const HIDDEN_NAMES[] = {"unknown", "recovered",
                                           "not-needed"};

uint64_t monotonic_ns(void) {
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static bool wants_stacks(const struct reporter *r) {
    return r->options->stack_stride > 0;
}

void report_init(struct reporter *r, const struct options *o,
                 struct probe *probe, struct watched *watched) {
    *r = (struct reporter){.options = o, .probe = probe, .watched = watched};
    snapshot_init(&r->endpoints, probe->endpoints_fd, o->max_processes * 4,
                  sizeof(struct endpoint_key), sizeof(struct endpoint));
    if (wants_stacks(r))
        snapshot_init(&r->stacks, probe->stacks_fd, o->max_stacks,
                      sizeof(struct stack_key), sizeof(uint64_t));
    if (o->mode == MODE_SYSCALLS)
        snapshot_init(&r->syscalls, probe->syscalls_fd, o->max_processes * 32,
                      sizeof(struct syscall_key), sizeof(struct syscall_count));
}

static void begin(struct reporter *r, const char *type) {
    json_open(&r->json, '{');
    json_key_text(&r->json, "type", type);
}

static void end(struct reporter *r) {
    json_close(&r->json, '}');
    json_newline(&r->json);
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
    begin(r, "header");
    json_key_unsigned(j, "format", 1);
    json_key_text(j, "probe", PROBE_VERSION);
    json_key_text(j, "host", uts.nodename);
    json_key_text(j, "kernel", uts.release);
    json_key_text(j, "arch", uts.machine);
    json_key_text(j, "time", text);
    json_key_text(j, "mode", MODE_NAMES[r->options->mode]);
    json_key_text(j, "variant", r->probe->variant);
    json_key_seconds(j, "interval_s", r->options->interval_ns);
    json_list(j, "argv");
    for (int i = 0; i < r->options->argc; i++)
        json_text(j, r->options->argv[i]);
    json_close(j, ']');
    end(r);
    json_splice(j, &records);
}

static void identity(struct json *j, const struct process *process) {
    json_key_unsigned(j, "pid", process->pid);
    json_key_unsigned(j, "start_ticks", process->start_ticks);
}

static void report_process(struct reporter *r, uint32_t index) {
    struct process *process = &r->watched->process[index];
    const struct slot *slot = &r->probe->slots[index];
    char cmdline[CMDLINE_SIZE], exe[4096] = "", comm[16];
    struct proc_status status = {.ns_pid = process->pid};
    size_t size = proc_cmdline(process->pid, cmdline), at = 0;
    struct json *j = &r->json;

    if (!proc_comm(process->pid, comm)) {
        memcpy(comm, slot->comm, sizeof(comm));
        comm[sizeof(comm) - 1] = 0;
    }
    proc_status(process->pid, &status);
    proc_exe(process->pid, exe, sizeof(exe));
    begin(r, "process");
    identity(j, process);
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
    end(r);
}

static void report_layout(struct reporter *r, uint32_t index) {
    struct process *process = &r->watched->process[index];
    struct slot *slot = &r->probe->slots[index];

    begin(r, "maps");
    identity(&r->json, process);
    json_key(&r->json, "maps");
    layout_read(r->probe, process->pid, slot->tgid, &r->json);
    slot->image = slot->tgid;
    end(r);
}

void report_processes(struct reporter *r) {
    for (uint32_t i = 0; i < r->watched->slots; i++) {
        struct process *process = &r->watched->process[i];
        uint32_t execs = r->probe->slots[i].execs;

        if (!process->used || (process->announced && process->execs == execs))
            continue;
        process->announced = true;
        process->execs = execs;
        report_process(r, i);
        if (wants_stacks(r) && !process->gone)
            report_layout(r, i);
    }
}

static void address_text(const struct endpoint *e, const uint8_t *address,
                         uint16_t port, char *text, size_t room) {
    char ip[INET6_ADDRSTRLEN] = "?";
    bool v6 = e->kind == END_TCP6;

    inet_ntop(v6 ? AF_INET6 : AF_INET, address, ip, sizeof(ip));
    snprintf(text, room, v6 ? "[%s]:%u" : "%s:%u", ip, port);
}

static uint64_t endpoint_polls(const struct slot *slot,
                               const struct endpoint_key *key,
                               const struct endpoint *e) {
    const struct way *way = &slot->way[key->fd % FD_WAYS];

    if (way->fd == key->fd && way->inode == key->inode &&
        way->ino == key->ino && way->breaks == key->connected)
        return e->polls + way->polls;
    return e->polls;
}

static void add_socket(struct json *j, const struct endpoint_key *key,
                       const struct endpoint *e, uint64_t polls) {
    char local[80] = "", peer[80] = "";

    if (e->kind == END_UNIX) {
        snprintf(local, sizeof(local), "unix:[%llu]",
                 (unsigned long long)key->ino);
    } else {
        address_text(e, e->local, e->local_port, local, sizeof(local));
        address_text(e, e->peer, ntohs(e->peer_port), peer, sizeof(peer));
    }
    json_open(j, '{');
    json_key_unsigned(j, "fd", key->fd);
    json_key_text(j, "kind", END_NAMES[e->kind]);
    json_key_text(j, "local", local);
    json_key_text(j, "peer", peer);
    json_key_unsigned(j, "inode", key->ino);
    json_key_unsigned(j, "polls", polls);
    json_close(j, '}');
}

static void add_polls(struct reporter *r, uint32_t index) {
    const struct slot *slot = &r->probe->slots[index];
    uint64_t breaks = slot->unkept_breaks, others = slot->other_polls;
    uint32_t from = snapshot_find(&r->endpoints, index);
    struct json *j = &r->json;

    for (unsigned i = 0; i < FD_WAYS; i++)
        *(slot->way[i].breaks ? &breaks : &others) += slot->way[i].polls;
    for (uint32_t i = from; snapshot_slot(&r->endpoints, i) == index; i++) {
        const struct endpoint *e = snapshot_value(&r->endpoints, i);

        *(e->connected ? &breaks : &others) += e->polls;
    }
    json_key_unsigned(j, "break_polls", breaks);
    json_key_unsigned(j, "other_polls", others);
    json_list(j, "sockets");
    for (uint32_t i = from; snapshot_slot(&r->endpoints, i) == index; i++) {
        const struct endpoint_key *key = snapshot_key(&r->endpoints, i);
        const struct endpoint *e = snapshot_value(&r->endpoints, i);

        if (e->connected)
            add_socket(j, key, e, endpoint_polls(slot, key, e));
    }
    json_close(j, ']');
}

static void add_syscalls(struct reporter *r, uint32_t index) {
    struct json *j = &r->json;

    json_list(j, "syscalls");
    for (uint32_t i = snapshot_find(&r->syscalls, index);
         snapshot_slot(&r->syscalls, i) == index; i++) {
        const struct syscall_key *key = snapshot_key(&r->syscalls, i);
        const struct syscall_count *count = snapshot_value(&r->syscalls, i);
        char name[32];

        snprintf(name, sizeof(name), "syscall_%u", key->nr);
        json_open(j, '{');
        json_key_unsigned(j, "nr", key->nr);
        json_key_text(j, "name",
                      key->nr < SYSCALL_NAMES && SYSCALL_NAME[key->nr]
                          ? SYSCALL_NAME[key->nr]
                          : name);
        json_key_unsigned(j, "calls", count->calls);
        json_key_unsigned(j, "errors", count->errors);
        json_key_seconds(j, "seconds", count->ns);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void add_stacks(struct reporter *r, uint32_t index) {
    struct json *j = &r->json;

    json_list(j, "stacks");
    for (uint32_t i = snapshot_find(&r->stacks, index);
         snapshot_slot(&r->stacks, i) == index; i++) {
        const struct stack_key *key = snapshot_key(&r->stacks, i);
        uint64_t count;

        memcpy(&count, snapshot_value(&r->stacks, i), sizeof(count));
        json_open(j, '{');
        json_key_text(j, "kind", STACK_NAMES[key->kind]);
        json_key_unsigned(j, "count", count);
        json_key_text(j, "hidden", HIDDEN_NAMES[key->hidden]);
        json_key(j, "truncated");
        json_bool(j, key->truncated);
        json_list(j, "addresses");
        for (unsigned n = 0; n < key->depth && n < STACK_DEPTH; n++) {
            json_unsigned(j, key->address[n]);
            if (n == 0 && key->hidden == HIDDEN_RECOVERED)
                json_unsigned(j, key->caller);
        }
        json_close(j, ']');
        json_close(j, '}');
    }
    json_close(j, ']');
}

void report_frame(struct reporter *r, bool final) {
    struct json *j = &r->json;

    snapshot_take(&r->endpoints);
    if (r->options->mode == MODE_SYSCALLS)
        snapshot_take(&r->syscalls);
    if (wants_stacks(r))
        snapshot_take(&r->stacks);
    begin(r, "frame");
    json_key_unsigned(j, "seq", r->frames++);
    json_key_seconds(j, "t_s", monotonic_ns() - r->attached_ns);
    json_key(j, "final");
    json_bool(j, final);
    json_list(j, "processes");
    for (uint32_t i = 0; i < r->watched->slots; i++) {
        if (!r->watched->process[i].announced)
            continue;
        json_open(j, '{');
        identity(j, &r->watched->process[i]);
        json_key_seconds(j, "cpu_s", watched_cpu_ns(r->watched, i));
        add_polls(r, i);
        if (r->options->mode == MODE_SYSCALLS)
            add_syscalls(r, i);
        if (wants_stacks(r))
            add_stacks(r, i);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_key(j, "lost");
    json_open(j, '{');
    for (int kind = 0; kind < LOST_KINDS; kind++)
        json_key_unsigned(j, LOST_NAMES[kind], probe_lost(r->probe, kind));
    json_close(j, '}');
    end(r);
}

void report_exits(struct reporter *r) {
    for (uint32_t i = 0; i < r->watched->slots; i++) {
        struct process *process = &r->watched->process[i];

        if (!process->announced || !process->gone || process->exit_reported)
            continue;
        process->exit_reported = true;
        begin(r, "exit");
        identity(&r->json, process);
        end(r);
    }
}

void report_trailer(struct reporter *r, const char *reason) {
    struct json *j = &r->json;
    struct rusage used;

    getrusage(RUSAGE_SELF, &used);
    begin(r, "trailer");
    json_key_text(j, "reason", reason);
    json_key_unsigned(j, "frames", r->frames);
    json_key_unsigned(j, "late_frames", r->late_frames);
    json_key(j, "self_cpu_s");
    json_real(j, used.ru_utime.tv_sec + used.ru_utime.tv_usec * 1e-6 +
                     used.ru_stime.tv_sec + used.ru_stime.tv_usec * 1e-6);
    end(r);
}
