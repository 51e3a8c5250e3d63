// SPDX-License-Identifier: GPL-2.0-or-later
// The few kernel types the probe reads. Field offsets are relocated at load
// time from the running kernel's BTF (CO-RE), so only names matter here.
#ifndef POLLTRACE_TYPES_BPF_H
#define POLLTRACE_TYPES_BPF_H

#include <linux/types.h>
#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#define CORE __attribute__((preserve_access_index))

typedef unsigned short umode_t;

struct thread_info {
    __u32 status;
} CORE;

struct pt_regs {
    unsigned long bp, bx, cx, r10, r8, dx, si, di, orig_ax, ip, sp;
} CORE;

struct inode {
    umode_t i_mode;
    unsigned long i_ino;
} CORE;

struct qstr {
    const unsigned char *name;
} CORE;

struct dentry {
    struct qstr d_name;
} CORE;

struct path {
    struct dentry *dentry;
} CORE;

struct file {
    struct inode *f_inode;
    struct path f_path;
    void *private_data;
} CORE;

struct rb_node {
    unsigned long __rb_parent_color;
    struct rb_node *rb_right, *rb_left;
} CORE;

struct rb_root {
    struct rb_node *rb_node;
} CORE;

struct rb_root_cached {
    struct rb_root rb_root;
} CORE;

// The set behind an epoll descriptor, and its entry of a file.
struct eventpoll {
    struct file *file;
    struct rb_root_cached rbr;
} CORE;

struct epoll_filefd {
    struct file *file;
    int fd;
} CORE;

struct epitem {
    struct rb_node rbn;
    struct epoll_filefd ffd;
} CORE;

struct fdtable {
    unsigned int max_fds;
    struct file **fd;
} CORE;

struct files_struct {
    struct fdtable *fdt;
} CORE;

// For its shape only: a pointer to an open file at offset 0.
struct poll_table_entry {
    struct file *filp;
} CORE;

struct in6_addr {
    __u8 bytes[16]; // not the kernel's name: read whole, through its address
};

struct sock_common {
    __u32 skc_daddr;
    __u32 skc_rcv_saddr;
    __u16 skc_dport;
    __u16 skc_num;
    unsigned short skc_family;
    volatile unsigned char skc_state;
    struct in6_addr skc_v6_daddr;
    struct in6_addr skc_v6_rcv_saddr;
} CORE;

struct sock {
    struct sock_common __sk_common;
} CORE;

struct socket {
    short type;
    struct file *file;
    struct sock *sk;
} CORE;

struct pid_namespace;

struct upid {
    int nr;
    struct pid_namespace *ns;
} CORE;

struct pid {
    unsigned int level;
    struct upid numbers[1];
} CORE;

typedef struct {
    int counter;
} CORE atomic_t;

struct sched_entity {
    unsigned char sched_delayed;
    __u64 sum_exec_runtime;
} CORE;

struct signal_struct {
    atomic_t live;
    unsigned long long sum_sched_runtime;
} CORE;

struct mm_struct {
    struct file *exe_file;
} CORE;

struct sched_info {
    unsigned long long run_delay;
} CORE;

struct task_struct {
    struct thread_info thread_info;
    unsigned int __state;
    void *stack;
    unsigned int flags;
    int on_cpu;
    int on_rq;
    struct sched_entity se;
    struct sched_info sched_info;
    int pid;
    int tgid;
    struct task_struct *group_leader;
    struct task_struct *real_parent;
    struct pid *thread_pid;
    __u64 start_boottime;
    char comm[16];
    struct mm_struct *mm;
    struct files_struct *files;
    struct signal_struct *signal;
} CORE;

// From Linux 6.2 on this kfunc gives an address a type that the verifier
// trusts; reading through it is one instruction instead of a helper call (30
// ns). A bad address reads as 0.
extern void *bpf_rdonly_cast(void *address, __u32 type) __ksym __weak;

#define AS(type, address)                                                      \
    ((struct type *)bpf_rdonly_cast((void *)(address),                         \
                                    bpf_core_type_id_kernel(struct type)))

// `cast` is a constant in each program: one of the two is compiled.
#define READ(cast, type, address, field)                                       \
    ({                                                                         \
        struct type *from_ = (struct type *)(address);                         \
        (cast) ? AS(type, from_)->field : BPF_CORE_READ(from_, field);         \
    })

// The same through a pointer whose type the verifier already knows: the current
// task, or a member of a structure of known type.
#define READ_TYPED(cast, pointer, field)                                       \
    ({                                                                         \
        typeof(pointer) from_ = (pointer);                                     \
        (cast) ? from_->field : BPF_CORE_READ(from_, field);                   \
    })

struct seq_file;

struct bpf_iter_meta {
    struct seq_file *seq;
} CORE;

struct bpf_iter__task {
    struct bpf_iter_meta *meta;
    struct task_struct *task;
} CORE;

// Before Linux 5.5; before 5.14.
struct task_struct___old {
    __u64 real_start_time;
    volatile long state;
} CORE;

#endif
