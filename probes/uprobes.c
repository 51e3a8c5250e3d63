// SPDX-License-Identifier: GPL-2.0-or-later
#include "uprobes.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "caps.h"
#include "perf.h"
#include "procfs.h"
#include "sandbox.h"

struct request {
    unsigned function;
    int pid;
};

static int line = -1; // to the child
static pid_t child;

static int uprobe_type(void) {
    char text[16];
    ssize_t size = proc_read("/sys/bus/event_source/devices/uprobe/type", text,
                             sizeof(text) - 1);

    if (size <= 0)
        return -1;
    text[size] = 0;
    return atoi(text);
}

static int place(int type, int file, uint64_t offset, int pid, int program) {
    char path[32];
    struct perf_event_attr attr = {.type = type,
                                   .size = sizeof(attr),
                                   .config1 = (uintptr_t)path,
                                   .config2 = offset};
    int fd;

    snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
    fd = perf_open(&attr, pid, -1);
    if (fd >= 0 && ioctl(fd, PERF_EVENT_IOC_SET_BPF, program)) {
        close(fd);
        return -1;
    }
    return fd;
}

// One number, and a descriptor beside it unless fd is -1.
static bool answer(int to, int error, int fd) {
    char room[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec word = {&error, sizeof(error)};
    struct msghdr message = {.msg_iov = &word, .msg_iovlen = 1};
    struct cmsghdr *head;

    if (fd >= 0) {
        message.msg_control = room;
        message.msg_controllen = sizeof(room);
        head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(head), &fd, sizeof(int));
    }
    return sendmsg(to, &message, MSG_NOSIGNAL) > 0;
}

static int receive(int from) {
    char room[CMSG_SPACE(sizeof(int))];
    int error = EPIPE, fd = -1;
    struct iovec word = {&error, sizeof(error)};
    struct msghdr message = {.msg_iov = &word,
                             .msg_iovlen = 1,
                             .msg_control = room,
                             .msg_controllen = sizeof(room)};
    struct cmsghdr *head;

    if (recvmsg(from, &message, MSG_CMSG_CLOEXEC) > 0 &&
        (head = CMSG_FIRSTHDR(&message)) && head->cmsg_type == SCM_RIGHTS)
        memcpy(&fd, CMSG_DATA(head), sizeof(int));
    errno = error;
    return fd;
}

static _Noreturn void serve(int from, const struct options *o, const int *file,
                            int program) {
    int type = uprobe_type();
    struct request request;

    prctl(PR_SET_NAME, "polltrace-upro");
    signal(SIGINT, SIG_IGN); // a terminal's; it ends with its parent
    close(STDIN_FILENO);
    close(STDOUT_FILENO);
    caps_keep(caps_uprobe());
    if (!o->no_seccomp)
        sandbox_uprobes();
    while (recv(from, &request, sizeof(request), 0) == sizeof(request)) {
        int fd = -1, error = EINVAL;

        if (request.function < o->functions && type < 0) {
            error = ENOSYS;
        } else if (request.function < o->functions) {
            fd = place(type, file[request.function],
                       o->function[request.function].offset, request.pid,
                       program);
            error = errno;
        }
        if (!answer(from, error, fd))
            break;
        if (fd >= 0)
            close(fd);
    }
    _exit(0);
}

void uprobes_start(const struct options *o, const int *file, int program) {
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) ||
        (child = fork()) < 0)
        fail(EXIT_ATTACH, "--function: %s", strerror(errno));
    if (!child) {
        close(pair[0]);
        serve(pair[1], o, file, program);
    }
    close(pair[1]);
    line = pair[0];
}

int uprobes_open(unsigned function, int pid) {
    struct request request = {function, pid};

    if (send(line, &request, sizeof(request), MSG_NOSIGNAL) < 0)
        return -1;
    return receive(line);
}

void uprobes_stop(void) {
    if (line < 0)
        return;
    close(line);
    line = -1;
    waitpid(child, NULL, 0);
}
