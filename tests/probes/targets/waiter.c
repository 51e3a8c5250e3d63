// SPDX-License-Identifier: GPL-2.0-or-later
// A process that is always in one of libc's waiting functions, each called by
// a function of its own: "poll" by calls_poll. With an argument there is a
// second thread, and libc takes its cancellable path.
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define FRAME __attribute__((noinline, noclone))
#define IN_FRAME(call)                                                         \
    do {                                                                       \
        (void)!(call);                                                         \
        __asm__ volatile("" ::: "memory"); /* no tail call */                  \
    } while (0)

#ifdef WRAPPERS // of wrappers.c: 1 for the cancellable path
extern int wrappers_many_threads;
#endif

static struct pollfd many[64];
static char block[1 << 16];
static int pair[2], queue, zero;

FRAME static void calls_poll(void) {
    IN_FRAME(poll(many, 64, 0));
}

FRAME static void calls_ppoll(void) {
    struct timespec none = {0, 0};

    IN_FRAME(ppoll(many, 64, &none, NULL));
}

FRAME static void calls_select(void) {
    struct timeval none = {0, 0};
    fd_set set;

    FD_ZERO(&set);
    FD_SET(pair[0], &set);
    IN_FRAME(select(pair[0] + 1, &set, NULL, NULL, &none));
}

FRAME static void calls_epoll_wait(void) {
    struct epoll_event event;

    IN_FRAME(epoll_wait(queue, &event, 1, 0));
}

FRAME static void calls_read(void) {
    IN_FRAME(read(zero, block, sizeof(block)));
}

FRAME static void calls_recv(void) {
    IN_FRAME(recv(pair[0], block, sizeof(block), MSG_DONTWAIT));
}

static void *idle(void *nothing) {
    pause();
    return nothing;
}

int main(int argc, char **argv) {
    pthread_t thread;

    (void)argv;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) ||
        (queue = epoll_create1(0)) < 0 ||
        (zero = open("/dev/zero", O_RDONLY)) < 0)
        return 1;
    for (int i = 0; i < 64; i++)
        many[i] = (struct pollfd){pair[0], POLLIN, 0};
    if (argc > 1 && pthread_create(&thread, NULL, idle, NULL))
        return 1;
#ifdef WRAPPERS
    wrappers_many_threads = WRAPPERS;
#endif
    puts("ready");
    fflush(stdout);
    for (;;) {
        calls_poll();
        calls_ppoll();
        for (int i = 0; i < 4; i++) { // these take less time
            calls_select();
            calls_epoll_wait();
            calls_recv();
        }
        calls_read();
    }
}
