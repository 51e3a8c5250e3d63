// SPDX-License-Identifier: GPL-2.0-or-later
// A closed loop of one system call, timed by itself: "poll MS" and
// "getppid MS" on standard input; answers the median nanoseconds per call over
// slices of about a millisecond, so that a disturbed slice does not count.
// "count N" makes N polls, to hold a tool's count against.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define FRAME __attribute__((noinline, noclone))
#define SLICES 4096
#define SLICE_CALLS 2048

static struct pollfd one = {.events = POLLIN};

FRAME static void sntpoltsts(void) {
    poll(&one, 1, 0);
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
    double left = *(const double *)a, right = *(const double *)b;

    return left < right ? -1 : left > right;
}

static double measure(int polls, double ms) {
    static double slice[SLICES];
    double end = now() + ms * 1e6;
    int count = 0;

    do {
        double start = now();

        if (polls)
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
    one.fd = accept(listener, NULL, NULL);
    printf("ready\n");
    fflush(stdout);
    while (scanf("%15s %lf", verb, &ms) == 2) {
        if (!strcmp(verb, "count")) {
            for (long i = 0; i < (long)ms; i++)
                nsmore2recv();
            printf("%.0f\n", ms);
        } else {
            printf("%.2f\n", measure(!strcmp(verb, "poll"), ms));
        }
        fflush(stdout);
    }
    return 0;
}
