// SPDX-License-Identifier: GPL-2.0-or-later
// Polls, computes and sleeps at the end of one chain of calls, for ever. The
// argument says where the chain begins: "plain", "thread", "signal",
// "altstack".
#include <alloca.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))

static int ends[2];
static volatile long sink;

APART long lib_compute(long n) {
    long sum = n;

    for (long i = 0; i < 200000; i++)
        sum = sum * 31 + i;
    return sum;
}

APART long lib_poll(int wait) {
    struct pollfd fd = {ends[0], POLLIN, 0};
    long found = poll(&fd, 1, 0);

    found += lib_compute(found);
    return found + poll(&fd, 1, wait);
}

// Its frame's size is not known to the compiler.
APART long lib_fetch(int rows, int depth) {
    char *buffer = alloca(rows * 8 + depth);
    long sum = 0;

    memset(buffer, depth, rows * 8 + depth);
    if (depth)
        sum = lib_fetch(rows + 1, depth - 1);
    else
        sum = lib_poll(2);
    sink = sum;
    return sum + buffer[rows];
}

static int compare(const void *a, const void *b) {
    sink = lib_fetch(3, 2);
    return *(const int *)a - *(const int *)b;
}

// Through libc, which calls back.
APART long app_sort(void) {
    int pair[2] = {2, 1};

    qsort(pair, 2, sizeof(*pair), compare);
    return sink + pair[0];
}

APART long app_execute(void) {
    long sum = 0;

    for (;;) {
        sum += app_sort();
        sink = sum;
    }
    return sum;
}

static void *run(void *argument) {
    sink = app_execute();
    return argument;
}

static void on_signal(int signal) {
    sink = app_execute() + signal;
}

static void in_signal(int flags) {
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = flags};
    stack_t stack = {.ss_sp = malloc(1 << 17), .ss_size = 1 << 17};

    sigaltstack(&stack, NULL);
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
}

int main(int argc, char **argv) {
    const char *where = argc > 1 ? argv[1] : "plain";
    pthread_t thread;

    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    puts("ready");
    fflush(stdout);
    if (!strcmp(where, "thread")) {
        pthread_create(&thread, NULL, run, NULL);
        pthread_join(thread, NULL);
    } else if (!strcmp(where, "signal") || !strcmp(where, "altstack")) {
        in_signal(where[0] == 'a' ? SA_ONSTACK : 0);
    } else {
        run(NULL);
    }
    return (int)sink;
}
