// SPDX-License-Identifier: GPL-2.0-or-later
// The library of the toy engine: looks for the client once in an interval of
// time, by an epoll set made for each look. The symbols are those of C++.
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#define INTERVAL_NS 20000000L

int toy_look(int client) __asm__("_ZN3toy6Client4lookEi");
void toy_work(int client, long *looks) __asm__("_ZN3toy6Engine4workEiPl");

static long now_ns(void) {
    struct timespec at;

    clock_gettime(CLOCK_MONOTONIC, &at);
    return at.tv_sec * 1000000000L + at.tv_nsec;
}

__attribute__((noinline)) int toy_look(int client) {
    struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP};
    int set = epoll_create1(0), ready;

    epoll_ctl(set, EPOLL_CTL_ADD, client, &event);
    ready = epoll_wait(set, &event, 1, 0);
    close(set);
    return ready;
}

// Works until the client says something or goes.
__attribute__((noinline)) void toy_work(int client, long *looks) {
    volatile unsigned long sum = 0;
    long due = now_ns() + INTERVAL_NS;
    int ready = 0;

    while (!ready) {
        for (int i = 0; i < 20000; i++)
            sum += (unsigned long)i;
        if (now_ns() < due)
            continue;
        ready = toy_look(client);
        ++*looks;
        due = now_ns() + INTERVAL_NS;
    }
}
