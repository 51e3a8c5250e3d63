// SPDX-License-Identifier: GPL-2.0-or-later
// Counts polls as probes/ does, in bcc's dialect of C: compiled on the host
// against the headers of its kernel, for kernels without type information.
// x86-64; no loops and no globals, as kernels before 5.3 want it.
#include <linux/fdtable.h>
#include <linux/fs.h>
#include <linux/net.h>
#include <linux/sched.h>
#include <linux/socket.h>
#include <net/sock.h>
#include <net/tcp_states.h>

#define NR_POLL 7
#define NR_PPOLL 271

struct totals {
    u64 break_polls, other_polls;
};

struct end_key {
    u32 tgid, fd;
    u64 inode;
};

struct end {
    u64 polls;
    u16 family, local_port, peer_port, pad; // local_port in host order
    u8 local[16], peer[16];
};

struct call_key {
    u32 tgid, nr;
};

struct calls {
    u64 calls, errors;
};

enum lost { LOST_PROCESSES, LOST_ENDPOINTS, LOST_USER_READS, LOST_SYSCALLS };

BPF_HASH(totals, u32, struct totals, MOST_PROCESSES);
BPF_HASH(ends, struct end_key, struct end, MOST_ENDS);
BPF_HASH(calls, struct call_key, struct calls, MOST_CALLS);
BPF_ARRAY(lost, u64, 4);

static inline void lose(int kind) {
    u64 *count = lost.lookup(&kind);

    if (count)
        __sync_fetch_and_add(count, 1);
}

#define READ(into, pointer)                                                    \
    bpf_probe_read_kernel(&(into), sizeof(into), (void *)(pointer))

static inline struct file *open_file(u32 fd) {
    struct task_struct *task = (struct task_struct *)bpf_get_current_task();
    struct files_struct *files = NULL;
    struct fdtable *table = NULL;
    struct file **files_at = NULL, *file = NULL;
    unsigned int most = 0;

    READ(files, &task->files);
    READ(table, &files->fdt);
    READ(most, &table->max_fds);
    if (fd >= most)
        return NULL;
    READ(files_at, &table->fd);
    READ(file, files_at + fd);
    return file;
}

// The connected stream socket behind a descriptor, in `key` and `found`; NULL
// for anything else.
static inline struct sock *stream(u32 fd, struct end_key *key,
                                  struct end *found) {
    struct file *file = open_file(fd), *back = NULL;
    struct inode *inode = NULL;
    struct socket *socket = NULL;
    struct sock *sk = NULL;
    unsigned long number = 0;
    umode_t mode = 0;
    short type = 0;
    u16 family = 0;
    u8 state = 0;

    if (!file)
        return NULL;
    READ(inode, &file->f_inode);
    READ(mode, &inode->i_mode);
    if ((mode & S_IFMT) != S_IFSOCK)
        return NULL;
    READ(socket, &file->private_data);
    READ(back, &socket->file);
    // Else it is the path of a unix socket, opened O_PATH.
    if (!socket || back != file)
        return NULL;
    READ(sk, &socket->sk);
    READ(type, &socket->type);
    if (!sk || type != SOCK_STREAM)
        return NULL;
    READ(family, &sk->__sk_common.skc_family);
    READ(state, (const void *)&sk->__sk_common.skc_state);
    if ((family != AF_UNIX && family != AF_INET && family != AF_INET6) ||
        state == TCP_CLOSE || state == TCP_LISTEN || state == TCP_SYN_SENT ||
        state == TCP_SYN_RECV)
        return NULL;
    READ(number, &inode->i_ino);
    key->inode = number;
    found->family = family;
    return sk;
}

static inline void describe(struct sock *sk, struct end *end) {
    if (end->family == AF_UNIX)
        return;
    READ(end->local_port, &sk->__sk_common.skc_num);
    READ(end->peer_port, &sk->__sk_common.skc_dport);
    if (end->family == AF_INET) {
        bpf_probe_read_kernel(end->local, 4, &sk->__sk_common.skc_rcv_saddr);
        bpf_probe_read_kernel(end->peer, 4, &sk->__sk_common.skc_daddr);
        return;
    }
#if IS_ENABLED(CONFIG_IPV6)
    bpf_probe_read_kernel(end->local, 16, &sk->__sk_common.skc_v6_rcv_saddr);
    bpf_probe_read_kernel(end->peer, 16, &sk->__sk_common.skc_v6_daddr);
#endif
}

static inline bool is_now(u64 nr, u64 wait) {
    u64 timespec[2] = {};

    if (nr == NR_POLL)
        return !(int)wait;
    if (!wait)
        return false; // waits for ever
    if (bpf_probe_read_user(timespec, sizeof(timespec), (void *)wait)) {
        lose(LOST_USER_READS);
        return false;
    }
    return !(timespec[0] | timespec[1]);
}

static inline bool is_break_poll(u32 tgid, u64 nr, u64 fds, u64 count,
                                 u64 wait) {
    struct end_key key = {.tgid = tgid};
    struct end fresh = {}, *end;
    struct sock *sk;
    int fd = -1;

    if ((u32)count != 1 || !is_now(nr, wait))
        return false;
    if (bpf_probe_read_user(&fd, sizeof(fd), (void *)fds)) {
        lose(LOST_USER_READS);
        return false;
    }
    key.fd = fd;
    sk = stream(fd, &key, &fresh);
    if (!sk)
        return false;
    end = ends.lookup(&key);
    if (!end) {
        describe(sk, &fresh);
        ends.update(&key, &fresh);
        end = ends.lookup(&key);
    }
    if (end)
        __sync_fetch_and_add(&end->polls, 1);
    else
        lose(LOST_ENDPOINTS); // counted all the same, but not which socket
    return true;
}

static inline struct calls *call_count(u32 tgid, u32 nr) {
    struct call_key key = {tgid, nr};
    struct calls zero = {}, *found = calls.lookup(&key);

    if (found)
        return found;
    calls.insert(&key, &zero);
    found = calls.lookup(&key);
    if (!found)
        lose(LOST_SYSCALLS);
    return found;
}

TRACEPOINT_PROBE(raw_syscalls, sys_enter) {
    u32 tgid = bpf_get_current_pid_tgid() >> 32;
    struct totals *counts = totals.lookup(&tgid);
    u64 nr = args->id;

    if (!counts || args->id < 0)
        return 0;
#ifdef SYSCALLS
    struct calls *count = call_count(tgid, nr);

    if (count)
        __sync_fetch_and_add(&count->calls, 1);
#endif
    if (nr != NR_POLL && nr != NR_PPOLL)
        return 0;
    if (is_break_poll(tgid, nr, args->args[0], args->args[1], args->args[2]))
        __sync_fetch_and_add(&counts->break_polls, 1);
    else
        __sync_fetch_and_add(&counts->other_polls, 1);
    return 0;
}

#ifdef SYSCALLS
TRACEPOINT_PROBE(raw_syscalls, sys_exit) {
    u32 tgid = bpf_get_current_pid_tgid() >> 32;
    long result = args->ret;
    struct calls *count;

    if (result >= 0 || result < -4095 || args->id < 0 || !totals.lookup(&tgid))
        return 0;
    count = call_count(tgid, args->id);
    if (count)
        __sync_fetch_and_add(&count->errors, 1);
    return 0;
}
#endif

#ifdef FOLLOW
TRACEPOINT_PROBE(sched, sched_process_fork) {
    u32 tgid = bpf_get_current_pid_tgid() >> 32;
    u32 child = args->child_pid; // a new thread's is nobody's tgid: harmless
    struct totals zero = {};

    if (!totals.lookup(&tgid))
        return 0;
    if (totals.insert(&child, &zero))
        lose(LOST_PROCESSES);
    return 0;
}
#endif
