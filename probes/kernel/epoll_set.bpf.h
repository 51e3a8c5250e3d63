// SPDX-License-Identifier: GPL-2.0-or-later
// The socket that an epoll set holds, read from the set itself at the time of
// the wait: a set may live as long as its process, or be made for one wait and
// closed again, and its members may change between two.
#ifndef POLLTRACE_EPOLL_SET_BPF_H
#define POLLTRACE_EPOLL_SET_BPF_H

#include "kernel/classify.bpf.h"

// A server for one client has a socket and a few other descriptors in its set:
// 64 steps go round a tree of 32. A larger set is an event loop's.
#define SET_STEPS 64
#define NODE_COLOR 3ul // in the low bits of a node's parent

// The back pointer distinguishes a set from other files, as with sockets.
static __always_inline struct eventpoll *epoll_set(struct file *file,
                                                   const bool cast) {
    struct eventpoll *set = READ(cast, file, file, private_data);

    return set && READ(cast, eventpoll, set, file) == file ? set : NULL;
}

static __always_inline bool is_connected_stream(struct file *file,
                                                const bool cast) {
    struct endpoint end = {};

    kind_of(file, &end, cast);
    return end.connected;
}

// Kept in a map: the verifier then knows nothing of the values, and needs not
// follow the values that each may take.
struct set_walk {
    struct rb_node *node, *from;
    struct file *file; // of the connected stream socket with the lowest fd
    int fd;            // -1: none so far
};

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __uint(max_entries, 1);
    __type(key, __u32);
    __type(value, struct set_walk);
} set_walks SEC(".maps");

static __always_inline void visit_set_member(struct set_walk *walk,
                                             const bool cast) {
    struct epitem *item =
        (void *)walk->node - bpf_core_field_offset(struct epitem, rbn);
    struct file *file = READ(cast, epitem, item, ffd.file);
    int fd = READ(cast, epitem, item, ffd.fd);

    if (file && (walk->fd < 0 || fd < walk->fd) &&
        is_connected_stream(file, cast)) {
        walk->file = file;
        walk->fd = fd;
    }
}

// One step through the tree, along the pointers of its nodes: down the left
// side, down the right side, and up again. Returns whether there is a next one.
static __always_inline int step(const bool cast) {
    __u32 only = 0;
    struct set_walk *walk = bpf_map_lookup_elem(&set_walks, &only);
    struct rb_node *node, *left, *right, *up, *next;

    if (!walk || !walk->node)
        return 0;
    node = walk->node;
    left = READ(cast, rb_node, node, rb_left);
    right = READ(cast, rb_node, node, rb_right);
    up = (void *)(READ(cast, rb_node, node, __rb_parent_color) & ~NODE_COLOR);
    if (walk->from == up) {
        visit_set_member(walk, cast);
        next = left ? left : right ? right : up;
    } else if (walk->from == left) {
        next = right ? right : up;
    } else {
        next = up;
    }
    walk->from = node;
    walk->node = next;
    return next != NULL;
}

// Not static: the verifier then checks them once, not for each call.
__noinline int step_in_set(void) {
    return step(false);
}

__noinline int step_in_set_cast(void) {
    return step(true);
}

// The descriptor of the connected stream socket in a set, the lowest of
// several; -1: none.
static __always_inline int socket_of_set(struct task_struct *task, __u32 epfd,
                                         struct open_file *found,
                                         const bool cast) {
    __u32 only = 0;
    struct set_walk *walk = bpf_map_lookup_elem(&set_walks, &only);
    struct open_file open;
    struct eventpoll *set;
    struct inode *inode;
    struct file *file;

    open_file(task, epfd, &open, cast);
    set = open.file ? epoll_set(open.file, cast) : NULL;
    if (!set || !walk)
        return -1;
    *walk = (struct set_walk){
        .node = READ(cast, eventpoll, set, rbr.rb_root.rb_node),
        .fd = -1,
    };
    for (int i = 0;
         i < SET_STEPS && (cast ? step_in_set_cast() : step_in_set()); i++)
        ;
    if (walk->node || walk->fd < 0)
        return -1;
    file = walk->file;
    inode = READ(cast, file, file, f_inode);
    found->file = file;
    found->inode = (__u64)inode;
    found->ino = READ(cast, inode, inode, i_ino);
    return walk->fd;
}

#endif
