// SPDX-License-Identifier: GPL-2.0-or-later
// Which kind of file is behind a descriptor. It is classified once per open
// file; later polls only compare its inode.
#ifndef POLLTRACE_CLASSIFY_BPF_H
#define POLLTRACE_CLASSIFY_BPF_H

#include "kernel/maps.bpf.h"

#define AF_UNIX 1
#define AF_INET 2
#define AF_INET6 10
#define SOCK_STREAM 1
#define S_IFMT 0170000
#define S_IFSOCK 0140000
#define TCP_SYN_SENT 2
#define TCP_SYN_RECV 3
#define TCP_CLOSE 7
#define TCP_LISTEN 10

struct open_file {
    __u64 inode;
    __u64 ino;
    struct file *file;
};

// Any state in which a peer has been there; unix sockets use TCP_ESTABLISHED.
static __always_inline bool is_connected(__u8 state) {
    return state != TCP_CLOSE && state != TCP_LISTEN && state != TCP_SYN_SENT &&
           state != TCP_SYN_RECV;
}

static __always_inline void open_file(struct task_struct *task, __u32 fd,
                                      struct open_file *found,
                                      const bool cast) {
    struct files_struct *files = READ_TYPED(cast, task, files);
    struct fdtable *fdt = READ(cast, files_struct, files, fdt);
    struct file **table = READ_TYPED(cast, fdt, fd), *file = NULL;
    struct inode *inode;

    *found = (struct open_file){};
    if (fd >= READ_TYPED(cast, fdt, max_fds))
        return;
    if (cast)
        file = AS(poll_table_entry, table + fd)->filp;
    else
        bpf_probe_read_kernel(&file, sizeof(file), table + fd);
    if (!file)
        return;
    inode = READ_TYPED(cast, file, f_inode);
    found->file = file;
    found->inode = (__u64)inode;
    found->ino = READ_TYPED(cast, inode, i_ino);
}

static __always_inline void describe_tcp(struct sock *sk, bool v6,
                                         struct endpoint *end) {
    end->local_port = BPF_CORE_READ(sk, __sk_common.skc_num);
    end->peer_port = BPF_CORE_READ(sk, __sk_common.skc_dport);
    if (v6) {
        bpf_probe_read_kernel(end->local, 16,
                              &sk->__sk_common.skc_v6_rcv_saddr);
        bpf_probe_read_kernel(end->peer, 16, &sk->__sk_common.skc_v6_daddr);
    } else {
        bpf_probe_read_kernel(end->local, 4, &sk->__sk_common.skc_rcv_saddr);
        bpf_probe_read_kernel(end->peer, 4, &sk->__sk_common.skc_daddr);
    }
}

// Fills in kind and connected; returns the socket's kernel side, if it has one.
static __always_inline struct sock *
kind_of(struct file *file, struct endpoint *end, const bool cast) {
    struct socket *socket;
    struct inode *inode;
    struct sock *sk;
    __u16 family;

    end->kind = END_BAD_FD;
    if (!file)
        return NULL;
    end->kind = END_OTHER_FILE;
    inode = READ(cast, file, file, f_inode);
    if ((READ(cast, inode, inode, i_mode) & S_IFMT) != S_IFSOCK)
        return NULL;
    // The back pointer distinguishes a socket from the path of a unix socket
    // opened with O_PATH.
    socket = READ(cast, file, file, private_data);
    if (!socket || READ(cast, socket, socket, file) != file)
        return NULL;
    end->kind = END_OTHER_SOCKET;
    sk = READ(cast, socket, socket, sk);
    if (!sk || READ(cast, socket, socket, type) != SOCK_STREAM)
        return NULL;
    family = READ(cast, sock, sk, __sk_common.skc_family);
    if (family == AF_UNIX)
        end->kind = END_UNIX;
    else if (family == AF_INET)
        end->kind = END_TCP;
    else if (family == AF_INET6)
        end->kind = END_TCP6;
    else
        return NULL;
    end->connected = is_connected(READ(cast, sock, sk, __sk_common.skc_state));
    return sk;
}

static __always_inline void classify(struct open_file *open,
                                     struct endpoint *end) {
    struct sock *sk;

    *end = (struct endpoint){};
    sk = kind_of(open->file, end, false);
    if (end->kind == END_TCP || end->kind == END_TCP6)
        describe_tcp(sk, end->kind == END_TCP6, end);
}

#endif
