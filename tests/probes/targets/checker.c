// SPDX-License-Identifier: GPL-2.0-or-later
// Checks a socket by the calls that are not poll, as often as it is told. A
// line of stdin is a command with a number of calls; the answer is a line.
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define MEMBERS 40

static int client, high, other, set, large;

static void add(int into, int fd) {
    struct epoll_event event = {.events = EPOLLRDHUP};

    if (epoll_ctl(into, EPOLL_CTL_ADD, fd, &event))
        abort();
}

static int made_for_one_wait(void) {
    struct epoll_event event;
    int made = epoll_create1(0);

    add(made, client);
    epoll_wait(made, &event, 1, 0);
    return close(made);
}

static void without_client(void) {
    struct epoll_event event;

    if (epoll_ctl(set, EPOLL_CTL_DEL, client, NULL))
        abort();
    epoll_wait(set, &event, 1, 0);
    add(set, client);
}

// A bit above the highest descriptor that the call asks about means nothing.
static void selected_below_a_bit(void) {
    struct timeval now = {0, 0};
    fd_set reads;

    FD_ZERO(&reads);
    FD_SET(client, &reads);
    FD_SET(client + 1, &reads);
    syscall(SYS_select, client + 1, &reads, NULL, NULL, &now);
}

static int selected(int reads, int writes, long wait) {
    struct timeval timeout = {0, wait};
    fd_set read_set, write_set;

    FD_ZERO(&read_set);
    FD_ZERO(&write_set);
    FD_SET(reads, &read_set);
    if (writes >= 0)
        FD_SET(writes, &write_set);
    return syscall(SYS_select, 1 + (reads > writes ? reads : writes), &read_set,
                   &write_set, NULL, &timeout);
}

static int pselected(void) {
    struct timespec timeout = {0, 0};
    fd_set reads;

    FD_ZERO(&reads);
    FD_SET(client, &reads);
    return pselect(client + 1, &reads, NULL, NULL, &timeout, NULL);
}

static void call(const char *name) {
    struct epoll_event event[3];
    struct timespec zero = {0, 0};
    struct pollfd polled = {.fd = client, .events = POLLIN};
    struct iovec part = {&(char){0}, 1};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

    if (!strcmp(name, "epoll"))
        epoll_wait(set, event, 3, 0);
    else if (!strcmp(name, "epoll-pwait"))
        epoll_pwait(set, event, 3, 0, NULL);
    else if (!strcmp(name, "epoll-pwait2"))
        syscall(SYS_epoll_pwait2, set, event, 3, &zero, NULL, 0);
    else if (!strcmp(name, "epoll-once"))
        made_for_one_wait();
    else if (!strcmp(name, "epoll-waiting"))
        epoll_wait(set, event, 3, 1);
    else if (!strcmp(name, "epoll-other"))
        epoll_wait(other, event, 3, 0);
    else if (!strcmp(name, "epoll-large"))
        epoll_wait(large, event, 3, 0);
    else if (!strcmp(name, "epoll-without"))
        without_client();
    else if (!strcmp(name, "epoll-no-set"))
        epoll_wait(client, event, 3, 0);
    else if (!strcmp(name, "select"))
        selected(client, -1, 0);
    else if (!strcmp(name, "select-below"))
        selected_below_a_bit();
    else if (!strcmp(name, "select-high"))
        selected(high, -1, 0);
    else if (!strcmp(name, "select-high-two"))
        selected(high, client, 0);
    else if (!strcmp(name, "select-two"))
        selected(client, set, 0);
    else if (!strcmp(name, "select-waiting"))
        selected(client, -1, 1);
    else if (!strcmp(name, "pselect"))
        pselected();
    else if (!strcmp(name, "recv"))
        recv(client, part.iov_base, 1, MSG_PEEK | MSG_DONTWAIT);
    else if (!strcmp(name, "recvmsg"))
        recvmsg(client, &message, MSG_PEEK | MSG_DONTWAIT);
    else if (!strcmp(name, "recv-reading"))
        recv(client, part.iov_base, 1, MSG_DONTWAIT);
    else if (!strcmp(name, "poll"))
        poll(&polled, 1, 0);
    else
        abort();
}

static void repeat(const char *name, int times) {
    pid_t child;

    if (strncmp(name, "fork-", 5) != 0) {
        while (times--)
            call(name);
        return;
    }
    while (times--) {
        child = fork();
        if (!child) {
            call(name + 5);
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
}

int main(void) {
    int pair[2], wakeup = eventfd(0, 0), times;
    char name[32];

    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
        return 1;
    client = pair[0];
    high = dup2(client, 200);
    set = epoll_create1(0);
    other = epoll_create1(0);
    large = epoll_create1(0);
    add(set, wakeup);
    add(set, client);
    add(set, eventfd(0, 0));
    add(other, wakeup);
    add(large, client);
    for (int i = 0; i < MEMBERS; i++)
        add(large, eventfd(0, 0));
    printf("pid %d\n", getpid());
    fflush(stdout);
    while (scanf("%31s %d", name, &times) == 2) {
        repeat(name, times);
        printf("done %d\n", client);
        fflush(stdout);
    }
    return 0;
}
