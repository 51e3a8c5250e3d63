// SPDX-License-Identifier: GPL-2.0-or-later
// Where the threads of the watched processes are and for how long: from the
// switch out by the wake-up to the switch in, and on a CPU up to the next
// switch out. The scheduler makes these in this order, each under the lock of
// the thread's run queue, so only one CPU at a time has a thread's record. Each
// adds the time since the one before, so a thread's parts are its life,
// exactly.
#ifndef POLLTRACE_OFF_CPU_BPF_H
#define POLLTRACE_OFF_CPU_BPF_H

#include "kernel/slots.bpf.h"
#include "kernel/stacks.bpf.h"

#define PF_EXITING 4

// The bits of a task's state, of which those above say how it may be woken.
#define TASK_INTERRUPTIBLE 1
#define TASK_UNINTERRUPTIBLE 2
#define TASK_STOPPED 4
#define TASK_TRACED 8

static __always_inline __u32 state_of(__u64 bits) {
    if (bits & TASK_INTERRUPTIBLE)
        return OFF_INTERRUPTIBLE;
    if (bits & TASK_UNINTERRUPTIBLE)
        return OFF_UNINTERRUPTIBLE;
    if (bits & TASK_STOPPED)
        return OFF_STOPPED;
    return bits & TASK_TRACED ? OFF_TRACED : OFF_UNKNOWN;
}

// Its state as it stands. A waker may already have changed it while the thread
// is on its way out: then OFF_UNKNOWN.
static __always_inline __u32 state_now(struct task_struct *task) {
    struct task_struct___old *old = (void *)task;

    if (bpf_core_field_exists(task->__state))
        return state_of(BPF_CORE_READ(task, __state));
    return state_of(BPF_CORE_READ(old, state));
}

// Whether it needs a wake-up to run again. Its state does not tell: a thread
// with a signal pending, and one that is preempted on its way to sleep, stay on
// their run queue. From Linux 6.12 on a blocked thread may stay there as well.
static __always_inline bool is_blocked(struct task_struct *task,
                                       const bool cast) {
    if (!READ(cast, task_struct, task, on_rq))
        return true;
    return bpf_core_field_exists(task->se.sched_delayed) &&
           READ(cast, task_struct, task, se.sched_delayed);
}

// The id of a stack, seen `times` times more; 0: there is no room for it.
static __always_inline __u64 off_stack(const struct stack_key *key, __u32 kind,
                                       __u64 times) {
    struct stack_count new = {}, *count = bpf_map_lookup_elem(&stacks, key);
    struct kernel_scratch *own = bpf_map_lookup_elem(&kernel_scratch, &kind);
    struct off_time none = {};

    if (!count && own) {
        new.id = (__u64)(bpf_get_smp_processor_id() * STACK_KINDS + kind) << 32;
        new.id |= ++own->stacks;
        if (!bpf_map_update_elem(&off_times, &new.id, &none, BPF_NOEXIST) &&
            bpf_map_update_elem(&stacks, key, &new, BPF_NOEXIST))
            bpf_map_delete_elem(&off_times,
                                &new.id); // full, or a CPU was first
        count = bpf_map_lookup_elem(&stacks, key);
    }
    if (!count) {
        lose(LOST_STACKS);
        return 0;
    }
    // To add 0 compiles into an atomic or, which Linux has from 5.12 on.
    if (times)
        __sync_fetch_and_add(&count->count, times);
    return count->id;
}

// Time without a stack is in the total alone.
static __always_inline void add_off(const struct thread *thread, __u64 blocked,
                                    __u64 queued) {
    __u32 index = thread->slot;
    __u64 id = thread->stack;
    struct off_total *total = bpf_map_lookup_elem(&off_totals, &index);
    struct off_time *time = bpf_map_lookup_elem(&off_times, &id);

    if (total) {
        __sync_fetch_and_add(&total->blocked_ns, blocked);
        __sync_fetch_and_add(&total->queued_ns, queued);
    }
    if (time) {
        __sync_fetch_and_add(&time->blocked_ns, blocked);
        __sync_fetch_and_add(&time->queued_ns, queued);
    }
}

static __always_inline bool follow(__u32 tid, const struct thread *thread,
                                   __u64 flags) {
    if (!bpf_map_update_elem(&threads, &tid, thread, flags))
        return true;
    if (!bpf_map_lookup_elem(&threads, &tid)) // else it is followed already
        lose(LOST_THREADS);
    return false;
}

// What the scheduler itself counts of a thread: up to its last switch out.
static __always_inline void note_clocks(struct task_struct *task,
                                        struct thread *thread) {
    thread->ran = BPF_CORE_READ(task, se.sum_exec_runtime);
    thread->waited = bpf_core_field_exists(task->sched_info.run_delay)
                         ? BPF_CORE_READ(task, sched_info.run_delay)
                         : 0;
}

// A thread that is met before the iterator came to it has been in the state
// that it now leaves since we began: its first event would have been seen.
static __always_inline struct thread *thread_of(struct task_struct *task,
                                                __u32 tid, __u32 index,
                                                bool was_off, bool was_queued) {
    struct thread *known = bpf_map_lookup_elem(&threads, &tid);
    struct thread new = {.slot = index, .begun = off_since};

    if (known || !off_seeding)
        return known;
    if (BPF_CORE_READ(task, flags) & PF_EXITING)
        return NULL;
    new.entered = was_off ? 0 : new.begun;
    new.left = was_off ? new.begun : 0;
    new.woken = was_queued ? new.begun : 0;
    note_clocks(task, &new);
    follow(tid, &new, BPF_NOEXIST);
    return bpf_map_lookup_elem(&threads, &tid);
}

static __always_inline __u64 least(__u64 one, __u64 other) {
    return one < other ? one : other;
}

// Divides the time since a thread left its CPU. It has been on one again, but
// its wake-up or its switch in was not seen: there are kernels that keep the
// events of some processes from all programs, and a wake-up belongs to the
// waker, a switch in to the thread before. Then the scheduler's counters say
// how long it ran, or waited.
static __always_inline void divide(struct task_struct *task,
                                   struct off_total *total,
                                   const struct thread *thread, __u64 now) {
    struct thread clocks = {};
    __u64 on, queued, whole = now - thread->left;

    note_clocks(task, &clocks);
    if (thread->entered) {
        on = now - thread->entered;
        queued = least(clocks.waited - thread->waited, whole - on);
    } else if (thread->woken) {
        on = least(clocks.ran - thread->ran, now - thread->woken);
        queued = now - thread->woken - on;
    } else {
        queued = least(clocks.waited - thread->waited, whole);
        on = least(clocks.ran - thread->ran, whole - queued);
    }
    if (!thread->entered)
        lose(LOST_SWITCHES);
    if (!thread->woken)
        lose(LOST_WAKEUPS);
    __sync_fetch_and_add(&total->on_cpu_ns, on);
    add_off(thread, whole - on - queued, queued);
}

// The thread's time up to now, when it leaves its CPU or ends.
static __always_inline void add_up(struct task_struct *task,
                                   struct off_total *total,
                                   const struct thread *thread, __u64 now) {
    if (thread->left)
        divide(task, total, thread, now);
    else
        __sync_fetch_and_add(&total->on_cpu_ns, now - thread->entered);
}

// The current task leaves its CPU: `state` is OFF_RUNNABLE unless it blocks.
static __noinline int leave_cpu(void *ctx, struct task_struct *task,
                                __u32 index, __u32 state, __u64 now) {
    __u32 kind = STACK_OFF, tid = BPF_CORE_READ(task, pid);
    struct thread *thread = thread_of(task, tid, index, false, false);
    struct off_total *total = bpf_map_lookup_elem(&off_totals, &index);
    struct stack_key *key = bpf_map_lookup_elem(&scratch, &kind);
    struct slot *slot = bpf_map_lookup_elem(&slots, &index);

    if (!thread || !total || !key || !slot)
        return 0;
    add_up(task, total, thread, now);
    start_key(key, kind, index, slot);
    key->state = state;
    // A thread that exits has none any more.
    if (BPF_CORE_READ(task, mm))
        walk_user(ctx, key, kind, task, NULL);
    key->kernel = kernel_part(ctx, kind);
    thread->stack = off_stack(key, kind, 1);
    thread->woken = state == OFF_RUNNABLE ? now : 0;
    thread->left = now;
    thread->entered = 0;
    note_clocks(task, thread);
    __sync_fetch_and_add(&total->switches, 1);
    return 0;
}

static __noinline int enter_cpu(struct task_struct *task, __u32 index,
                                __u64 now) {
    __u32 tid = BPF_CORE_READ(task, pid);
    struct thread *thread = thread_of(task, tid, index, true, true);

    if (!thread || !thread->left)
        return 0;
    thread->entered = now;
    if (!thread->woken)
        return 0; // divided when it leaves
    add_off(thread, thread->woken - thread->left, now - thread->woken);
    thread->left = 0;
    thread->woken = 0;
    return 0;
}

static __always_inline int off_switch(__u64 *ctx, const bool cast) {
    struct task_struct *prev = (void *)ctx[1], *next = (void *)ctx[2];
    __u32 index, state = OFF_RUNNABLE;
    __u64 now;

    if (!off_since)
        return 0;
    now = bpf_ktime_get_ns();
    if (find_slot(READ(cast, task_struct, prev, tgid), &index)) {
        if (is_blocked(prev, cast))
            state = switch_has_state ? state_of(ctx[3]) : state_now(prev);
        leave_cpu(ctx, prev, index, state, now);
    }
    if (find_slot(READ(cast, task_struct, next, tgid), &index))
        enter_cpu(next, index, now);
    return 0;
}

// A wake-up of a thread that has not left its CPU yet only keeps it there.
static __always_inline int off_wakeup(__u64 *ctx, const bool cast) {
    struct task_struct *task = (void *)ctx[0];
    struct thread *thread;
    __u32 index;

    if (!off_since || !find_slot(READ(cast, task_struct, task, tgid), &index))
        return 0;
    thread = thread_of(task, READ(cast, task_struct, task, pid), index,
                       !READ(cast, task_struct, task, on_cpu), false);
    if (thread && thread->left && !thread->woken &&
        !READ(cast, task_struct, task, on_cpu))
        thread->woken = bpf_ktime_get_ns();
    return 0;
}

// The id of a stack without functions in the program.
static __noinline __u64 bare_stack(__u32 index, __u32 kind, __u32 state,
                                   __u32 kernel) {
    struct stack_key *key = bpf_map_lookup_elem(&scratch, &kind);
    struct slot *slot = bpf_map_lookup_elem(&slots, &index);

    if (!key || !slot)
        return 0;
    start_key(key, STACK_OFF, index, slot);
    key->state = state;
    key->kernel = kernel;
    return off_stack(key, kind, 0);
}

// A new thread starts on a run queue.
static __always_inline int off_born(__u64 *ctx, const bool cast) {
    struct task_struct *task = (void *)ctx[0];
    struct thread thread = {};

    if (!off_since ||
        !find_slot(READ(cast, task_struct, task, tgid), &thread.slot))
        return 0;
    // Preemption is off here, so no other use of this scratch comes between.
    thread.stack = bare_stack(thread.slot, STACK_OFF, OFF_RUNNABLE, 0);
    thread.begun = thread.left = thread.woken = bpf_ktime_get_ns();
    note_clocks(task, &thread);
    follow(READ(cast, task_struct, task, pid), &thread, BPF_ANY);
    return 0;
}

// What a thread still does when it has announced its end is not followed.
static __always_inline void off_exit(struct task_struct *task) {
    __u32 tid = BPF_CORE_READ(task, pid), index;
    struct thread *thread;
    struct off_total *total;

    if (!off_cpu || !off_since)
        return;
    thread = bpf_map_lookup_elem(&threads, &tid);
    if (!thread)
        return;
    index = thread->slot;
    total = bpf_map_lookup_elem(&off_totals, &index);
    if (total) {
        __u64 now = bpf_ktime_get_ns();

        add_up(task, total, thread, now);
        __sync_fetch_and_add(&total->ended_ns, now - thread->begun);
        __sync_fetch_and_add(&total->ended, 1);
    }
    bpf_map_delete_elem(&threads, &tid);
}

// A thread that executes a program takes over the id of the first one, which
// has ended by then.
static __always_inline void off_exec(struct task_struct *task, __u32 old_tid) {
    __u32 tid = BPF_CORE_READ(task, pid);
    struct thread *thread, copy;

    if (!off_cpu || !off_since || tid == old_tid)
        return;
    thread = bpf_map_lookup_elem(&threads, &old_tid);
    if (!thread)
        return;
    copy = *thread;
    bpf_map_delete_elem(&threads, &old_tid);
    follow(tid, &copy, BPF_ANY);
}

// The kernel's part of the stack of a thread that does not run.
static __noinline __u32 seed_kernel_part(struct task_struct *task) {
    __u32 kind = STACK_SEED;
    struct kernel_scratch *own = bpf_map_lookup_elem(&kernel_scratch, &kind);

    if (!own ||
        !bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_get_task_stack))
        return 0;
    __builtin_memset(&own->stack, 0, sizeof(own->stack));
    if (bpf_get_task_stack(task, own->stack.address, sizeof(own->stack), 0) <=
        0)
        return 0;
    return kernel_id(own, kind);
}

// A thread that was there before us. Between reading its state and following it
// an event may come: that has made its record then, and ours is refused.
static __always_inline int seed_thread(struct task_struct *task) {
    __u32 tid = task->pid, state = OFF_RUNNABLE;
    struct thread thread = {.begun = off_since};
    struct off_time *time;

    if (!off_since || !find_slot(task->tgid, &thread.slot) ||
        task->flags & PF_EXITING || bpf_map_lookup_elem(&threads, &tid))
        return 0;
    if (is_blocked(task, false)) {
        thread.left = thread.begun;
        state = state_now(task);
    } else if (!task->on_cpu) {
        thread.left = thread.woken = thread.begun;
    } else {
        thread.entered = thread.begun;
    }
    note_clocks(task, &thread);
    if (thread.left)
        thread.stack =
            bare_stack(thread.slot, STACK_SEED, state, seed_kernel_part(task));
    if (!follow(tid, &thread, BPF_NOEXIST))
        return 0;
    time = bpf_map_lookup_elem(&off_times, &thread.stack);
    if (time)
        __sync_fetch_and_add(&time->before, 1);
    // It may have announced its end just before it was followed.
    if (BPF_CORE_READ(task, flags) & PF_EXITING)
        bpf_map_delete_elem(&threads, &tid);
    return 0;
}

#endif
