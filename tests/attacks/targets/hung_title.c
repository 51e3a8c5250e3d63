// SPDX-License-Identifier: GPL-2.0-or-later
// hung_title DIRECTORY PROGRAM: a process whose arguments nobody can read.
//
// It is PROGRAM (a copy of this one) under a dedicated server's title. It maps
// a file of a FUSE file system whose server, this process, never answers a
// read. A child of it reads that mapping by /proc/PID/mem: it holds the lock of
// the process's mappings and waits. Then the process maps something, which
// waits for the lock, and so does whoever reads the arguments from then on:
// only SIGKILL ends that. Standard output is the process's ID. At the end of
// input all end; the mount is in a namespace of its own and ends with them.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { PAGE = 4096, FILE_NODE = 2 };

static void check(bool done, const char *what) {
    if (done)
        return;
    perror(what);
    exit(1);
}

static void answer(int fuse, uint64_t to, int error, void *body, size_t size) {
    struct fuse_out_header head = {
        .len = sizeof(head) + size, .error = -error, .unique = to};
    struct iovec parts[2] = {{&head, sizeof(head)}, {body, size}};

    check(writev(fuse, parts, 2) == (ssize_t)head.len, "answer");
}

static struct fuse_attr about(uint64_t node) {
    return (struct fuse_attr){.ino = node,
                              .size = PAGE,
                              .nlink = 1,
                              .mode = node == FILE_NODE ? S_IFREG | 0600
                                                        : S_IFDIR | 0700};
}

static void serve(int fuse, const struct fuse_in_header *asked) {
    struct fuse_init_out init = {.major = FUSE_KERNEL_VERSION,
                                 .minor = FUSE_KERNEL_MINOR_VERSION,
                                 .max_write = PAGE};
    struct fuse_entry_out entry = {.nodeid = FILE_NODE,
                                   .attr = about(FILE_NODE)};
    struct fuse_attr_out attr = {.attr = about(asked->nodeid)};
    struct fuse_open_out opened = {0};

    switch (asked->opcode) {
    case FUSE_INIT:
        answer(fuse, asked->unique, 0, &init, sizeof(init));
        return;
    case FUSE_LOOKUP:
        answer(fuse, asked->unique, 0, &entry, sizeof(entry));
        return;
    case FUSE_GETATTR:
        answer(fuse, asked->unique, 0, &attr, sizeof(attr));
        return;
    case FUSE_OPEN:
        answer(fuse, asked->unique, 0, &opened, sizeof(opened));
        return;
    case FUSE_READ:
    case FUSE_INTERRUPT:
    case FUSE_FORGET:
        return; // never
    default:
        answer(fuse, asked->unique, ENOSYS, NULL, 0);
    }
}

// Returns never: its file's server does not answer.
static void hold_lock(pid_t of, uintptr_t at) {
    char path[64], byte;
    int fd;

    snprintf(path, sizeof(path), "/proc/%d/mem", (int)of);
    fd = open(path, O_RDONLY);
    check(fd >= 0 && pread(fd, &byte, 1, (off_t)at) == 1, path);
}

static void hide(const char *file) {
    int fd = open(file, O_RDONLY);
    void *page = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
    void *other =
        mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    check(fd >= 0 && page != MAP_FAILED, file);
    // To print takes memory, which cannot be had once the lock is held.
    dprintf(STDOUT_FILENO, "%d\n", (int)getpid());
    if (fork() == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        hold_lock(getppid(), (uintptr_t)page);
        exit(0);
    }
    for (;;) // until one of them waits
        mmap(other, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
             -1, 0);
}

static void become_target(const char *program, const char *directory) {
    static char file[PAGE];

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    snprintf(file, sizeof(file), "%s/file", directory);
    execl(program, "oracleHUNG (LOCAL=NO)", file, NULL);
    check(false, program);
}

int main(int arguments, char **argument) {
    static char request[1 << 18], options[100];
    struct pollfd ready[2] = {{.events = POLLIN}, {.events = POLLIN}};

    if (strncmp(argument[0], "oracle", 6) == 0)
        hide(argument[1]);
    check(arguments == 3 && unshare(CLONE_NEWNS) == 0 &&
              mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0,
          "namespace");
    ready[1].fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    check(ready[1].fd >= 0, "/dev/fuse");
    snprintf(options, sizeof(options),
             "fd=%d,rootmode=40000,user_id=0,group_id=0", ready[1].fd);
    check(mount("hung", argument[1], "fuse", 0, options) == 0, "mount");
    if (fork() == 0)
        become_target(argument[2], argument[1]);
    while (poll(ready, 2, -1) > 0 && !ready[0].revents)
        if (read(ready[1].fd, request, sizeof(request)) > 0)
            serve(ready[1].fd, (struct fuse_in_header *)request);
    return 0;
}
