// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/counts.h"

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <stdio.h>
#include <string.h>

#include "output/off_cpu.h"
#include "processes/window_sums.h"
#include "syscall_names.h"

static const char *const END_NAMES[] = {
    "unknown", "tcp", "tcp6", "unix", "socket", "file", "bad",
};
static const char *const STACK_NAMES[] = {"poll", "cpu", "offcpu"};
static const char *const HIDDEN_NAMES[] = {"unknown", "recovered",
                                           "not-needed"};

// By enum stack_stop; frames.schema.json explains them.
static const char *const STOP_NAMES[STACK_STOPS] = {
    "unknown",     "start",      "depth",    "no-rules", "no-room",
    "unsupported", "unreadable", "not-code", "not-call", "no-progress",
};

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
    uint32_t from = snapshot_find(&r->endpoints, index);
    struct json *j = &r->json;

    json_key_unsigned(j, "break_polls", slot_breaks(slot));
    json_key_unsigned(j, "other_polls", slot_others(slot));
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

    json_key_unsigned(j, "calls_32bit", r->probe->slots[index].calls_32bit);
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

static void add_kernel_part(struct reporter *r, uint32_t id) {
    uint32_t position = snapshot_find(&r->kernel_stacks, id);
    const struct kernel_stack *stack;

    if (snapshot_slot(&r->kernel_stacks, position) != id)
        return;
    stack = snapshot_key(&r->kernel_stacks, position);
    json_list(&r->json, "kernel");
    for (unsigned n = 0; n < KERNEL_DEPTH && stack->address[n]; n++)
        json_unsigned(&r->json, stack->address[n]);
    json_close(&r->json, ']');
}

// A letter for each address printed, and why there are no more.
static void add_walk(struct json *j, const struct stack_key *key) {
    char letters[STACK_DEPTH + 2];
    unsigned size = 0;

    for (unsigned n = 0; n < key->depth && n < STACK_DEPTH; n++) {
        bool guessed = key->by_kernel || key->address[n] & ADDRESS_BY_POINTER;

        letters[size++] = n == 0                                ? 'r'
                          : key->address[n] & ADDRESS_BY_SIGNAL ? 's'
                          : guessed                             ? 'f'
                                                                : 't';
        if (n == 0 && key->hidden == HIDDEN_RECOVERED && key->by_kernel)
            letters[size++] = 't';
    }
    letters[size] = 0;
    json_key_text(j, "found", letters);
    json_key_text(
        j, "stop",
        STOP_NAMES[key->stop < STACK_STOPS ? key->stop : STOP_UNKNOWN]);
}

static void add_stacks(struct reporter *r, uint32_t index) {
    struct json *j = &r->json;

    if (r->options->stack_stride)
        json_key_unsigned(j, "stack_stride",
                          r->probe->slots[index].stack_stride);
    json_list(j, "stacks");
    for (uint32_t i = snapshot_find(&r->stacks, index);
         snapshot_slot(&r->stacks, i) == index; i++) {
        const struct stack_key *key = snapshot_key(&r->stacks, i);
        struct stack_count totals;

        memcpy(&totals, snapshot_value(&r->stacks, i), sizeof(totals));
        json_open(j, '{');
        json_key_text(j, "kind", STACK_NAMES[key->kind]);
        json_key_unsigned(j, "count", totals.count);
        if (key->kind == STACK_POLL)
            json_key_unsigned(j, "polls", totals.polls);
        if (key->kind == STACK_OFF)
            add_off_times(r, key, totals.id);
        json_key_text(j, "hidden", HIDDEN_NAMES[key->hidden]);
        json_key(j, "truncated");
        json_bool(j, key->stop == STOP_DEPTH);
        add_walk(j, key);
        json_list(j, "addresses");
        for (unsigned n = 0; n < key->depth && n < STACK_DEPTH; n++) {
            json_unsigned(j, key->address[n] & ~ADDRESS_FOUND);
            if (n == 0 && key->hidden == HIDDEN_RECOVERED && key->by_kernel)
                json_unsigned(j, key->caller);
        }
        json_close(j, ']');
        if (key->kernel)
            add_kernel_part(r, key->kernel);
        json_close(j, '}');
    }
    json_close(j, ']');
}

// The histogram's rule, backwards: where a bucket begins.
static uint64_t bucket_start(uint32_t bucket) {
    uint32_t power = bucket >> SUB_BITS;

    if (power <= 1)
        return bucket;
    return (uint64_t)((bucket & ((1 << SUB_BITS) - 1)) + (1 << SUB_BITS))
           << (power - 1);
}

static void add_histogram(struct json *j, const char *name,
                          const uint64_t *count) {
    json_list(j, name);
    for (uint32_t i = 0; i < TIME_BUCKETS; i++) {
        if (!count[i])
            continue;
        json_open(j, '[');
        json_unsigned(j, bucket_start(i));
        json_unsigned(j, i + 1 < TIME_BUCKETS ? bucket_start(i + 1)
                                              : bucket_start(i) * 2);
        json_unsigned(j, count[i]);
        json_close(j, ']');
    }
    json_close(j, ']');
}

static void add_block(struct reporter *r, uint32_t block) {
    struct json *j = &r->json;

    if (bpf_map_lookup_elem(r->probe->times_fd, &block, r->times))
        return;
    json_open(j, '{');
    add_histogram(j, "duration", (const uint64_t *)r->times->duration);
    add_histogram(j, "gap", (const uint64_t *)r->times->gap);
    json_close(j, '}');
}

void add_shared_times(struct reporter *r) {
    json_key(&r->json, "shared_times_ns");
    add_block(r, 0);
}

static void add_times(struct reporter *r, uint32_t index) {
    uint32_t block = r->probe->slots[index].times;

    if (!block)
        return; // among the shared ones
    json_key(&r->json, "times_ns");
    add_block(r, block);
}

static void add_products(struct json *j, const char *key,
                         const struct window_products *products) {
    json_key(j, key);
    json_open(j, '[');
    json_sum(j, products->polls);
    json_sum(j, products->cross);
    json_sum(j, products->cpu);
    json_close(j, ']');
}

static void add_windows(struct reporter *r, uint32_t index) {
    const struct window_sums *sums = &r->watched->process[index].windows;
    struct json *j = &r->json;

    json_key_unsigned(j, "cpu_samples", r->probe->slots[index].cpu_samples);
    json_key(j, "windows");
    json_open(j, '{');
    json_key_unsigned(j, "count", sums->count);
    json_key(j, "polls");
    json_real(j, sums->polls);
    json_key(j, "seconds");
    json_real(j, sums->seconds);
    json_key(j, "cpu_s");
    json_real(j, sums->cpu_s);
    json_key(j, "displaced_s");
    json_real(j, sums->displaced_s);
    add_products(j, "squares", &sums->squares);
    add_products(j, "neighbours", &sums->neighbours);
    json_key(j, "stolen");
    json_real(j, r->watched->stolen);
    json_key(j, "cost_ns");
    json_real(j, r->cost_ns);
    json_close(j, '}');
}

static void add_calls(struct reporter *r, uint32_t index) {
    const struct calls *calls = &r->watched->process[index].calls;
    struct json *j = &r->json;

    if (!calls->done)
        return;
    json_key(j, "burst");
    json_open(j, '{');
    json_key_unsigned(j, "calls", calls->polls ? calls->calls : calls->seen);
    json_key_unsigned(j, "break_polls", calls->polls);
    json_key_seconds(j, "seconds", calls->ns);
    if (calls->error)
        json_key_text(j, "error", calls->error);
    json_close(j, '}');
}

void add_counts(struct reporter *r, uint32_t index) {
    enum mode mode = r->options->mode;

    json_key_seconds(&r->json, "cpu_s", watched_cpu_ns(r->watched, index));
    add_polls(r, index);
    if (mode == MODE_SYSCALLS)
        add_syscalls(r, index);
    if (wants_stacks(r))
        add_stacks(r, index);
    if (mode == MODE_TIME)
        add_times(r, index);
    if (mode == MODE_WATCH)
        add_windows(r, index);
    if (mode == MODE_OFF_CPU)
        add_off_total(r, index);
    add_calls(r, index);
}
