// SPDX-License-Identifier: GPL-2.0-or-later
// Maps, and the constants that configure the programs. The loader sets both,
// sizes of maps included, from its options before it loads the object.
#ifndef POLLTRACE_MAPS_BPF_H
#define POLLTRACE_MAPS_BPF_H

#include "kernel/records.h"
#include "kernel/types.bpf.h"

const volatile __u32 bucket_mask = 0;
const volatile bool follow_forks = false;
const volatile bool adopt_all =
    false; // every new process, until the filter decides
const volatile bool timing = false;   // time mode
const volatile bool windowed = false; // watch mode: count while open
const volatile bool bursts_wanted = false;
const volatile bool in_namespace = false; // our PIDs are not the kernel's
const volatile __u32 started_mask = 0;
const volatile __u32 stack_stride = 0;  // 0: no stacks at break polls
const volatile bool stack_auto = false; // the stride adapts to the rate
const volatile __u32 stack_depth = STACK_DEPTH;
const volatile bool kernel_parts = false; // of stacks
const volatile __u32 own_frames = 0;      // in it at a break poll, innermost
const volatile bool off_cpu = false;      // off-CPU mode
const volatile bool unwinding = false;    // stacks by unwind tables
const volatile bool untyped_registers = false; // of a call, at fentry
const volatile bool switch_has_state = false;  // sched_switch has prev_state

__u64 lost[LOST_KINDS] = {};
volatile __u32 window_open = 0;
volatile __u64 off_since = 0;   // clock when off-CPU time began, 0: not yet
volatile __u32 off_seeding = 0; // threads may be met that are not in `threads`
volatile __u32 unwind_missed_any = 0; // see unwind_misses
__u32 our_level = 0;                  // of the loader's PID namespace
__u64 our_namespace = 0;

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct bucket);
} buckets SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct slot);
} slots SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct cpu);
} cpus SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, 1);
    __type(key, __u64);
    __type(value, __u32);
} claims SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, MAX_RULES);
    __type(key, struct executable);
    __type(value, __u32); // enum check_call
} rules SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, 1);
    __type(key, struct endpoint_key);
    __type(value, struct endpoint);
} endpoints SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, 1);
    __type(key, struct stack_key);
    __type(value, struct stack_count);
} stacks SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, 1);
    __type(key, struct kernel_stack);
    __type(value, __u32); // id
} kernel_stacks SEC(".maps");

// One per CPU and stack kind: a sampling interrupt may come in the middle of
// a poll's own sample.
struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, STACK_KINDS);
    __type(key, __u32);
    __type(value, struct stack_key);
} scratch SEC(".maps");

struct kernel_scratch {
    __u32 last;   // kernel's parts numbered so far
    __u32 stacks; // off-CPU stacks
    struct kernel_stack stack;
};

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, STACK_KINDS);
    __type(key, __u32);
    __type(value, struct kernel_scratch);
} kernel_scratch SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct thread);
} threads SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, 1);
    __type(key, __u64);
    __type(value, struct off_time);
} off_times SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct off_total);
} off_totals SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, 1);
    __type(key, struct site_key);
    __type(value, struct site_rule);
} sites SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct started);
} started SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __uint(max_entries, 1);
    __type(key, struct syscall_key);
    __type(value, struct syscall_count);
} syscalls SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct timed_thread);
} timed SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct times);
} times SEC(".maps");

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct burst);
} bursts SEC(".maps");

static __always_inline void lose(enum lost_kind kind) {
    __sync_fetch_and_add(&lost[kind], 1);
}

static __always_inline bool claim(enum claim_kind kind, __u32 what) {
    __u64 key = (__u64)kind << 32 | what;
    __u32 taken = 1;

    return !bpf_map_update_elem(&claims, &key, &taken, BPF_NOEXIST);
}

static __always_inline void unclaim(enum claim_kind kind, __u32 what) {
    __u64 key = (__u64)kind << 32 | what;

    bpf_map_delete_elem(&claims, &key);
}

#endif
