// SPDX-License-Identifier: GPL-2.0-or-later
// Map keys and values: all that the kernel side and the loader share.
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

// The calls by which a server may check its client's socket; each stands for
// its variants too. Which of them are break checks depends on the executable.
enum check_call {
    CALL_POLL = 1,   // poll, ppoll
    CALL_SELECT = 2, // select, pselect6
    CALL_EPOLL = 4,  // epoll_wait, epoll_pwait, epoll_pwait2
    CALL_RECV = 8,   // recvfrom, recvmsg, with MSG_PEEK and MSG_DONTWAIT
};

// Key of the rules: an executable's name, NUL-padded.
#define EXECUTABLE_SIZE 32
struct executable {
    char name[EXECUTABLE_SIZE];
};
#define MAX_RULES 64

enum slot_state { SLOT_FREE, SLOT_LIVE, SLOT_GONE };

// One open file, polled with one descriptor and timeout 0. An inode number of
// sockfs is never given twice, so (inode, ino) survives close and reuse.
struct way {
    __u64 inode;  // kernel address of the inode, 0: the way is free
    __u64 ino;    // inode number
    __u32 fd;     // descriptor
    __u32 breaks; // 1: a connected stream socket
    __u64 polls;  // break polls, or other polls, by `breaks`
};

struct slot {
    __u32 state;        // enum slot_state
    __u32 tgid;         // process id in the initial PID namespace
    __u32 pid;          // in the loader's PID namespace, 0: not visible there
    __u32 image;        // tgid of the process whose code layout this one has
    __u32 parent;       // its tgid
    __u16 born;         // enum born
    __u16 checks;       // enum check_call, of its executable
    __u64 start_ns;     // since boot
    __u64 exit_cpu_ns;  // CPU time at exit
    __u64 other_polls;  // calls of enum check_call that are no break polls
    __s64 until_stack;  // break polls until the next sample
    __u64 long_breaks;  // break polls counted by the slow path
    char comm[16];      // command name
    __u32 execs;        // calls of exec so far
    __u32 times;        // its block of histograms, 0: the shared one
    __u64 calls_32bit;  // syscalls mode: by the 32-bit ABI
    __u64 cpu_samples;  // on-CPU samples taken
    __u64 stack_ns;     // clock when a break poll's stack was last taken
    __u32 stack_gap;    // polls drawn between that one and the next
    __u32 stack_stride; // their mean
    __u64 on_cpu_ns;    // CPU time in windows, up to the last switch
    struct way way[FD_WAYS];
};

_Static_assert(sizeof(struct slot) == 256, "whole cache lines");

enum born { BORN_ATTACHED, BORN_FORKED, BORN_EXECED };

// Which watched process a CPU runs while a window is open.
struct cpu {
    __u64 since;    // clock at the last switch, ns
    __u32 slot;     // its number plus one; 0: no watched process
    __u32 switches; // so far, so that a reader notices a change
};

struct bucket {
    __u32 tgid[BUCKET_WAYS];
};

// Claims make "first come" atomic on kernels without BPF compare-and-swap:
// an insert with BPF_NOEXIST succeeds once.
enum claim_kind { CLAIM_TGID = 1, CLAIM_SLOT, CLAIM_WAY };

// An open file of a process, as in struct way.
struct endpoint_key {
    __u32 slot;
    __u32 fd;
    __u64 inode;
    __u64 ino;
    __u64 connected; // 1: polls of it are break polls
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
    __u64 polls;      // those not counted in a way
    __u32 kind;       // enum endpoint_kind
    __u32 connected;  // as in the key
    __u16 local_port; // host order
    __u16 peer_port;  // network order, as the kernel keeps it
    __u32 pad;
    __u8 local[16]; // IPv4: the first four bytes
    __u8 peer[16];
};

// STACK_SEED has no stacks of its own: the scratch of the iterator over tasks,
// which a context switch may interrupt.
enum stack_kind { STACK_POLL, STACK_CPU, STACK_OFF, STACK_SEED, STACK_KINDS };
enum hidden_caller { HIDDEN_UNKNOWN, HIDDEN_RECOVERED, HIDDEN_NOT_NEEDED };

// A thread's state when it left its CPU.
enum off_state {
    OFF_RUNNABLE,        // R: preempted, it yielded, or it is new
    OFF_INTERRUPTIBLE,   // S
    OFF_UNINTERRUPTIBLE, // D
    OFF_STOPPED,         // T
    OFF_TRACED,          // t
    OFF_UNKNOWN,
    OFF_STATES
};

// Why a walk along a user stack stopped.
enum stack_stop {
    STOP_UNKNOWN,     // the kernel's walk by frame pointers does not say
    STOP_START,       // where the thread began: no return address by the rules
    STOP_DEPTH,       // the stack is deeper than stack_depth
    STOP_NO_RULES,    // code without unwind rules, and no trusted frame pointer
    STOP_NO_ROOM,     // the code's unwind table did not fit into memory
    STOP_UNSUPPORTED, // a DWARF expression that the table cannot hold
    STOP_UNREADABLE,  // the stack's memory could not be read
    STOP_NOT_CODE,    // the return address lies in no executable mapping
    STOP_NOT_CALL,    // no call precedes the return address
    STOP_NO_PROGRESS, // the caller's frame does not lie above the callee's
    STACK_STOPS
};

// Above the bits of a user address: how it was found, if not by unwind rules.
#define ADDRESS_BY_POINTER (1ull << 63) // frame pointer that no rule confirms
#define ADDRESS_BY_SIGNAL (1ull << 62)  // registers that a signal saved: exact
#define ADDRESS_FOUND (ADDRESS_BY_POINTER | ADDRESS_BY_SIGNAL)

// The whole stack is the key, so two stacks never count as one.
struct stack_key {
    __u32 slot;
    __u32 image;                // as in struct slot
    __u8 kind;                  // enum stack_kind
    __u8 hidden : 3;            // enum hidden_caller
    __u8 by_kernel : 1;         // 1: the kernel walked along frame pointers
    __u8 state : 4;             // enum off_state
    __u8 depth;                 // addresses used
    __u8 stop;                  // enum stack_stop
    __u32 kernel;               // id of the kernel's part, 0: none
    __u64 caller;               // of libc's poll, when hidden == RECOVERED
    __u64 address[STACK_DEPTH]; // innermost first
};

struct stack_count {
    __u64 count; // times taken
    union {
        __u64 polls; // break polls that these represent
        __u64 id;    // STACK_OFF: key of its struct off_time
    };
};

// A thread of a watched process, by its id.
struct thread {
    __u32 slot;
    __u32 pad;
    __u64 stack; // id of the stack with which it left its CPU, 0: not known
    __u64 begun; // clock when it was first followed
    __u64 left;  // clock when it left its CPU, 0: it is on one
    __u64 woken; // clock when it came onto a run queue, 0: blocked
    // Clock when it came onto its CPU. With `left`: its wake-up was not seen.
    __u64 entered;
    __u64 ran, waited; // on CPUs and run queues when it left, by the scheduler
};

// The time spent off CPU with one stack, up to the last switch in.
struct off_time {
    __u64 blocked_ns; // from the switch out to the wake-up
    __u64 queued_ns;  // on a run queue, up to the switch in
    __u64 before;     // threads that were there before we were attached
};

// The same of all threads of a process, whether their stacks were kept or not.
struct off_total {
    __u64 ended_ns;  // lives of the threads that ended
    __u64 ended;     // how many these are
    __u64 on_cpu_ns; // up to the last switch out
    __u64 blocked_ns;
    __u64 queued_ns;
    __u64 switches; // out
};

// The kernel's parts of stacks, kept apart: there are few of them.
#define KERNEL_DEPTH 63
struct kernel_stack {
    __u64 address[KERNEL_DEPTH]; // innermost first, 0: the end
};

// Where in the program a system call was made; see struct site_rule.
struct site_key {
    __u32 image;
    __u32 pad;
    __u64 ip;
};

// Offsets from rsp of the caller's return address and frame pointer, in bytes.
struct site_rule {
    __s16 caller; // or SITE_FRAME_POINTER
    __s16 frame;  // or SITE_FRAME_KEPT
};

#define SITE_FRAME_POINTER (-1) // the walk sees the caller by itself
#define SITE_FRAME_KEPT (-1)    // still in rbp

// The call that a thread is in. The place is chosen by the low bits of its id,
// so two threads may evict each other; the time is then lost and counted as
// LOST_TIMES.
struct started {
    __u32 tid; // 0: free
    __u32 nr;
    __u64 ns; // clock at entry
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
    __u32 times;      // its process's block of histograms
    __u64 entered_ns; // clock at entry, 0: not in a break poll
    __u64 left_ns;    // clock at the last exit, 0: none yet
};

struct syscall_key {
    __u32 slot;
    __u32 nr;
};

struct syscall_count {
    __u64 calls;
    __u64 errors; // calls that failed
    __u64 ns;     // time in the kernel
};

// Calls of a user function, and the positions of break polls among them. With n
// polls, n - 1 lie in the calls after the first poll up to the last.
struct burst {
    __u64 open;        // 1: counting
    __u64 calls;       // so far
    __u64 first, last; // value of `calls` at the first and last poll
    __u64 polls;       // break polls
};

// A store that a program makes for the loader where memory cannot be mapped.
enum poke_area { POKE_GATE, POKE_BUCKET, POKE_SLOT };

struct poke {
    __u32 area;    // enum poke_area
    __u32 element; // index in the array
    __u32 offset;  // in the element, bytes
    __u32 size;    // 4 or 8 bytes
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
    LOST_THREADS,    // threads map full
    LOST_WAKEUPS,    // blocked, and on a CPU again without a wake-up
    LOST_SWITCHES,   // off a CPU without having come onto it
    LOST_KINDS
};

#endif
