// SPDX-License-Identifier: GPL-2.0-or-later
// What one break poll costs on this host, with nothing attached: polls of an
// idle TCP socket on loopback, through this libc, in between stretches of work
// that take as long as the server's own. A poll in a closed loop would be too
// cheap: at a server's pace the kernel's code and branches have gone cold.
//
// usage: polltrace-price [PACE_US [ROUNDS]]
//   PACE_US  microseconds of work between two polls (10; 0 to 10000)
//   ROUNDS   pairs of stretches, without polls and with (400; 1 to 100000)
// Prints one line of JSON: the price in nanoseconds as each round found it.
// Exit codes: 0 done, 2 wrong usage, 4 this host has no loopback socket.
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#define ROUND_NS 1000000.0 // shorter than most of what disturbs a machine
#define WORDS (64 * 1024)  // 256 KB: more than a first-level cache holds

static uint32_t memory[WORDS];
static volatile uint32_t sink; // keeps the work from being optimised away

static double now_ns(void) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec * 1e9 + (double)at.tv_nsec;
}

// Loads that depend on one another little and branches that depend on data,
// as in a row source.
static __attribute__((noinline)) void work(unsigned steps) {
    static uint32_t position = 1;
    uint32_t sum = 0, at = position;
    for (unsigned i = 0; i < steps; i++) {
        at = at * 1664525u + 1013904223u;
        uint32_t value = memory[(at >> 8) % WORDS];
        if (value & 1)
            sum += value;
        else if (value & 2)
            sum ^= value >> 3;
        else
            sum -= at;
    }
    position = at;
    sink = sum;
}

// The accepted end of a connection to ourselves; -1 without one.
static int idle_socket(void) {
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(listener, (struct sockaddr *)&at, size) || listen(listener, 1) ||
        getsockname(listener, (struct sockaddr *)&at, &size) ||
        connect(client, (struct sockaddr *)&at, size))
        return -1;
    return accept(listener, NULL, NULL);
}

static double stretch_ns(unsigned repeats, unsigned steps,
                         struct pollfd *socket) {
    double began = now_ns();
    for (unsigned i = 0; i < repeats; i++) {
        work(steps);
        if (socket)
            poll(socket, 1, 0);
    }
    return now_ns() - began;
}

static unsigned steps_for(double pace_ns) {
    const unsigned many = 100000;
    double fastest = 1e18;
    for (int i = 0; i < 20; i++) {
        double took = stretch_ns(1, many, NULL);
        if (took < fastest)
            fastest = took;
    }
    return (unsigned)(pace_ns * many / fastest);
}

static long number(const char *text, long low, long high) {
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (errno || end == text || *end || value < low || value > high) {
        fprintf(stderr,
                "polltrace-price: %s is not a whole number from %ld to %ld\n",
                text, low, high);
        exit(2);
    }
    return value;
}

int main(int argc, char **argv) {
    double pace_ns = argc > 1 ? 1e3 * (double)number(argv[1], 0, 10000) : 1e4;
    long rounds = argc > 2 ? number(argv[2], 1, 100000) : 400;
    struct pollfd socket = {.fd = idle_socket(), .events = POLLIN};
    cpu_set_t here;

    if (socket.fd < 0) {
        fprintf(stderr, "polltrace-price: no loopback socket: %s\n",
                strerror(errno));
        return 4;
    }
    CPU_ZERO(&here);
    CPU_SET((unsigned)sched_getcpu(), &here);
    sched_setaffinity(0, sizeof here, &here);
    for (size_t i = 0; i < WORDS; i++)
        memory[i] = (uint32_t)random();
    unsigned steps = steps_for(pace_ns);
    unsigned repeats = 1 + (unsigned)(ROUND_NS / (pace_ns + 500));
    printf("{\"pace_us\":%.0f,\"price_ns\":[", pace_ns / 1e3);
    for (long i = 0; i < rounds; i++) {
        // Turn about, so that a machine that gets slower favours neither.
        double without = i % 2 ? 0 : stretch_ns(repeats, steps, NULL);
        double with = stretch_ns(repeats, steps, &socket);
        if (i % 2)
            without = stretch_ns(repeats, steps, NULL);
        printf("%s%.1f", i ? "," : "", (with - without) / repeats);
    }
    printf("]}\n");
    return 0;
}
