// SPDX-License-Identifier: GPL-2.0-or-later
// What the kernel side and the loader share: map values and keys, nothing else.
#ifndef POLLTRACE_RECORDS_H
#define POLLTRACE_RECORDS_H

#include <linux/types.h>

// A watched process owns one slot. Slots are found through 8-way buckets
// chosen by the low bits of the pid: no hash function, one cache line.
#define BUCKET_WAYS 8
// Descriptors a process polls most are counted inside its slot.
#define FD_WAYS 4
// With the other fields 61 addresses make 512 bytes, the largest key that a
// hash map took before Linux 5.13.
#define STACK_DEPTH 61

enum slot_state { SLOT_FREE, SLOT_LIVE, SLOT_GONE };

// One open file, polled with one descriptor and timeout 0. An inode number of
// sockfs is never given twice, so (inode, ino) survives close and reuse.
struct way {
    __u64 inode; // kernel address, 0: free
    __u64 ino;
    __u32 fd;
    __u32 breaks; // 1: a connected stream socket
    __u64 polls;
};

struct slot {
    __u32 state; // enum slot_state
    __u32 tgid;  // in the initial PID namespace
    __u32 pid;   // in the loader's PID namespace, 0: not visible there
    __u32 image; // whose address-space layout this process has
    __u32 parent;
    __u32 born;        // enum born
    __u64 start_ns;    // since boot
    __u64 exit_cpu_ns; // CPU time at exit
    __u64 other_polls; // not (one descriptor, timeout 0)
    __s64 until_stack; // break polls until the next sample
    __u64 long_breaks; // break polls counted the long way round
    char comm[16];
    __u32 execs;
    __u32 pad_execs;
    __u32 times; // its block of histograms, 0: the shared one
    __u32 pad_times;
    __u64 cpu_samples;
    __u64 stack_ns;     // when the last stack was taken at a break poll
    __u32 stack_gap;    // polls drawn between it and the next one
    __u32 stack_stride; // their mean
    __u64 on_cpu_ns;    // in windows, but for who is there now
    struct way way[FD_WAYS];
};

_Static_assert(sizeof(struct slot) == 256, "whole cache lines");

enum born { BORN_ATTACHED, BORN_FORKED, BORN_EXECED };

// Whom a CPU runs while a window is open.
struct cpu {
    __u64 since;
    __u32 slot; // and one; 0: nobody who is watched
    __u32 switches;
};

struct bucket {
    __u32 tgid[BUCKET_WAYS];
};

// Claims make "first come" atomic on kernels without BPF compare-and-swap:
// an insert with BPF_NOEXIST succeeds once.
enum claim_kind { CLAIM_TGID = 1, CLAIM_SLOT, CLAIM_WAY };

struct endpoint_key {
    __u32 slot;
    __u32 fd;
    __u64 inode;
    __u64 ino;
    __u64 connected;
};

enum endpoint_kind {
    END_UNKNOWN,
    END_TCP,
    END_TCP6,
    END_UNIX,
    END_OTHER_SOCKET,
    END_OTHER_FILE,
    END_BAD_FD,
};

struct endpoint {
    __u64 polls; // those not counted in a way
    __u32 kind;  // enum endpoint_kind
    __u32 connected;
    __u16 local_port; // host order
    __u16 peer_port;  // network order, as the kernel keeps it
    __u32 pad;
    __u8 local[16];
    __u8 peer[16];
};

enum stack_kind { STACK_POLL, STACK_CPU };
enum hidden_caller { HIDDEN_UNKNOWN, HIDDEN_RECOVERED, HIDDEN_NOT_NEEDED };

// The whole stack is the key, so two stacks can never be taken for one.
struct stack_key {
    __u32 slot;
    __u32 image;
    __u8 kind;   // enum stack_kind
    __u8 hidden; // enum hidden_caller
    __u8 depth;
    __u8 truncated;
    __u32 kernel;               // id of the kernel's part, 0: none
    __u64 caller;               // of libc's poll, when hidden == RECOVERED
    __u64 address[STACK_DEPTH]; // innermost first
};

struct stack_count {
    __u64 count;
    __u64 polls; // break polls that these stand for
};

// The kernel's parts of stacks, kept apart: there are few of them.
#define KERNEL_DEPTH 63
struct kernel_stack {
    __u64 address[KERNEL_DEPTH]; // innermost first, 0: the end
};

// What a system call was made at; see struct site_rule.
struct site_key {
    __u32 image;
    __u32 pad;
    __u64 ip;
};

// Where the caller's return address and its frame pointer lie, from rsp.
struct site_rule {
    __s16 caller; // or SITE_FRAME_POINTER
    __s16 frame;  // or SITE_FRAME_KEPT
};

#define SITE_FRAME_POINTER (-1) // the walk sees the caller by itself
#define SITE_FRAME_KEPT (-1)    // still in rbp

// The call that a thread is in; found by the low bits of its id, so that two
// threads may chase each other out (then the time is lost, and counted so).
struct started {
    __u32 tid;
    __u32 nr;
    __u64 ns;
};

// Log-linear histograms: 64 buckets to each power of two, so that a value is
// known to 0.8 %; from 0 to 2^40 ns (18 minutes).
#define SUB_BITS 6
#define MAX_POWER 40
#define TIME_BUCKETS (((MAX_POWER - SUB_BITS + 1) << SUB_BITS) + 1)

struct times {
    __u64 duration[TIME_BUCKETS]; // of a break poll
    __u64 gap[TIME_BUCKETS];      // from its end to the next one's start
};

struct timed_thread {
    __u32 tid;
    __u32 times;   // its process's block of histograms
    __u64 entered; // 0: not in a break poll
    __u64 left;
};

struct syscall_key {
    __u32 slot;
    __u32 nr;
};

struct syscall_count {
    __u64 calls;
    __u64 errors;
    __u64 ns;
};

// Calls of a user function, and where in them the break polls fell: with n
// polls, n - 1 are in the calls from behind the first poll to the last.
struct burst {
    __u64 open;
    __u64 calls;
    __u64 first, last; // calls by then
    __u64 polls;
};

// What the loader has stored by a program where it cannot map memory.
enum poke_area { POKE_GATE, POKE_BUCKET, POKE_SLOT };

struct poke {
    __u32 area; // enum poke_area
    __u32 element;
    __u32 offset; // in the element
    __u32 size;   // 4 or 8
    __u64 value;
};

enum lost_kind {
    LOST_PROCESSES,  // slots full
    LOST_ENDPOINTS,  // endpoint map full
    LOST_USER_READS, // pollfd or timespec could not be read
    LOST_STACKS,     // stack map full, or no stack at all
    LOST_SYSCALLS,   // system-call map full
    LOST_TIMES,      // start of a call not known
    LOST_KERNEL,     // kernel's part of a stack: its map full
    LOST_KINDS
};

#endif
