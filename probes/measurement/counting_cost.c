// SPDX-License-Identifier: GPL-2.0-or-later
#include "measurement/counting_cost.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "loader/attach.h"
#include "loader/shared.h"
#include "options/failure.h"
#include "polltrace.skel.h"
#include "readers/procfs.h"

#define PAIRS 24
#define BATCH_POLLS 256

static int ascending(const void *a, const void *b) {
    double first = *(const double *)a, second = *(const double *)b;

    return first < second ? -1 : first > second;
}

static double time_polls(int fd) {
    struct timespec used;
    int64_t start;

    // CPU time: excludes other processes that run at the same time.
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    start = used.tv_sec * 1000000000ll + used.tv_nsec;
    for (int i = 0; i < BATCH_POLLS; i++) {
        struct pollfd socket_poll = {fd, POLLIN, 0};

        poll(&socket_poll, 1, 0);
    }
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return (double)(used.tv_sec * 1000000000ll + used.tv_nsec - start) /
           BATCH_POLLS;
}

static void stop_watching_self(struct watched *w) {
    for (uint32_t i = 0; i < w->slots; i++) {
        if (w->process[i].stage == STAGE_KEPT &&
            w->process[i].pid == getpid()) {
            close(w->process[i].pidfd);
            watched_retire(w, i);
            w->alive--;
        }
    }
}

// In alternation, because the speed of the machine drifts.
double counting_cost_ns(struct watched *w) {
    double cost[PAIRS], middle;
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) ||
        !watched_add(w, getpid()))
        fail(EXIT_ATTACH, "cannot measure the probe's own cost");
    shared_store(w->probe, w->probe->globals->window_open, 1);
    for (int i = 0; i < PAIRS; i++) {
        double without = time_polls(pair[0]);

        probe_attach_calls(w->probe);
        time_polls(pair[0]); // the first ones find cold caches
        cost[i] = time_polls(pair[0]);
        probe_detach_calls(w->probe);
        cost[i] -= (without + time_polls(pair[0])) / 2;
    }
    shared_store(w->probe, w->probe->globals->window_open, 0);
    stop_watching_self(w);
    close(pair[0]);
    close(pair[1]);
    qsort(cost, PAIRS, sizeof(double), ascending);
    middle = (cost[PAIRS / 2 - 1] + cost[PAIRS / 2]) / 2;
    return middle > 0 ? middle : 0;
}
