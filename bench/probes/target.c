// SPDX-License-Identifier: GPL-2.0-or-later
// A closed loop of one system call, timed by itself: "poll MS" (or select,
// epoll_wait, recv: calls by which engines check their client), "getppid MS"
// and "switch MS" (a byte to a child on the same processor and back: each of
// the two blocks once) on standard input; answers the median nanoseconds per
// call over slices of about a millisecond, so that a disturbed slice does not
// count. "count N" makes N polls, for a comparison with a tool's count.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define FRAME __attribute__((noinline, noclone))
#define SLICES 4096
#define SLICE_CALLS 2048

static struct pollfd socket_poll = {.events = POLLIN};

static int set; // epoll

static void by_poll(void) {
    poll(&socket_poll, 1, 0);
}

static void by_select(void) {
    struct timeval no_wait = {0};
    fd_set readable;

    FD_ZERO(&readable);
    FD_SET(socket_poll.fd, &readable);
    select(socket_poll.fd + 1, &readable, NULL, NULL, &no_wait);
}

static void by_epoll_wait(void) {
    struct epoll_event event[3];

    epoll_wait(set, event, 3, 0);
}

static void by_recv(void) {
    char byte;

    recv(socket_poll.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
}

static int to_child[2], from_child[2];

static void start_child(void) {
    char byte;

    if (pipe(to_child) || pipe(from_child))
        exit(1);
    if (fork())
        return;
    close(to_child[1]);
    while (read(to_child[0], &byte, 1) == 1 &&
           write(from_child[1], &byte, 1) == 1)
        ;
    _exit(0);
}

static void by_switch(void) {
    char byte = 0;

    if (write(to_child[1], &byte, 1) != 1 || read(from_child[0], &byte, 1) != 1)
        exit(1);
}

static const struct {
    const char *name;
    void (*check)(void);
} calls[] = {{"poll", by_poll},
             {"select", by_select},
             {"epoll_wait", by_epoll_wait},
             {"recv", by_recv},
             {"switch", by_switch}};
static void (*check)(void) = by_poll;

FRAME static void sntpoltsts(void) {
    check();
    __asm__ volatile("" ::: "memory");
}

FRAME static void snttmoredata(void) {
    sntpoltsts();
    __asm__ volatile("" ::: "memory");
}

FRAME static void nsmore2recv(void) {
    snttmoredata();
    __asm__ volatile("" ::: "memory");
}

FRAME static void nioqts(int depth) {
    if (depth)
        nioqts(depth - 1); // a server's stack is deep
    else
        for (int i = 0; i < SLICE_CALLS; i++)
            nsmore2recv();
    __asm__ volatile("" ::: "memory");
}

static double now(void) {
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e9 + t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
    double first = *(const double *)a, second = *(const double *)b;

    return first < second ? -1 : first > second;
}

static bool checks_by(const char *name) {
    for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
        if (!strcmp(name, calls[i].name)) {
            check = calls[i].check;
            return true;
        }
    return false;
}

static double measure(bool checks, double ms) {
    static double slice[SLICES];
    double end = now() + ms * 1e6;
    int count = 0;

    do {
        double start = now();

        if (checks)
            nioqts(14);
        else
            for (int i = 0; i < SLICE_CALLS; i++)
                syscall(SYS_getppid);
        slice[count++] = (now() - start) / SLICE_CALLS;
    } while (count < SLICES && now() < end);
    qsort(slice, count, sizeof(*slice), ascending);
    return slice[count / 2];
}

int main(void) {
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof(address);
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    int client = socket(AF_INET, SOCK_STREAM, 0);
    char verb[16];
    double ms;

    if (bind(listener, (struct sockaddr *)&address, size) ||
        listen(listener, 1) ||
        getsockname(listener, (struct sockaddr *)&address, &size) ||
        connect(client, (struct sockaddr *)&address, size))
        return 1;
    socket_poll.fd = accept(listener, NULL, NULL);
    set = epoll_create1(0);
    if (epoll_ctl(set, EPOLL_CTL_ADD, socket_poll.fd, &(struct epoll_event){0}))
        return 1;
    start_child();
    printf("ready\n");
    fflush(stdout);
    while (scanf("%15s %lf", verb, &ms) == 2) {
        if (!strcmp(verb, "count")) {
            for (long i = 0; i < (long)ms; i++)
                nsmore2recv();
            printf("%.0f\n", ms);
        } else {
            printf("%.2f\n", measure(checks_by(verb), ms));
        }
        fflush(stdout);
    }
    return 0;
}
