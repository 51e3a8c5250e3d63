// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/off_cpu.h"

#include <bpf/bpf.h>

static const char *const STATE_NAMES[OFF_STATES] = {
    "R", "S", "D", "T", "t", "?",
};

void add_off_times(struct reporter *r, const struct stack_key *key,
                   uint64_t stack) {
    struct off_sum sum = off_cpu_sum(&r->off_cpu, key->slot, stack);
    struct json *j = &r->json;

    json_key_text(
        j, "state",
        STATE_NAMES[key->state < OFF_STATES ? key->state : OFF_UNKNOWN]);
    json_key_unsigned(j, "blocked_ns", sum.blocked_ns);
    json_key_unsigned(j, "queued_ns", sum.queued_ns);
    json_key_unsigned(j, "open", sum.open);
    json_key_unsigned(j, "before", sum.before);
}

void add_off_total(struct reporter *r, uint32_t slot) {
    struct off_sum open = off_cpu_sum(&r->off_cpu, slot, ALL_STACKS);
    struct off_total total = {0};
    struct json *j = &r->json;

    bpf_map_lookup_elem(r->probe->off_totals_fd, &slot, &total);
    json_key(j, "off_cpu");
    json_open(j, '{');
    json_key_unsigned(j, "threads", total.ended + open.threads);
    json_key_unsigned(j, "thread_ns", total.ended_ns + open.alive_ns);
    json_key_unsigned(j, "cpu_ns", r->off_cpu.cpu_ns[slot]);
    json_key_unsigned(j, "on_cpu_ns", total.on_cpu_ns + open.on_cpu_ns);
    json_key_unsigned(j, "blocked_ns", total.blocked_ns + open.blocked_ns);
    json_key_unsigned(j, "queued_ns", total.queued_ns + open.queued_ns);
    json_key_unsigned(j, "switches", total.switches);
    json_key_unsigned(j, "open", open.open);
    json_close(j, '}');
}
