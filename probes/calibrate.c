// SPDX-License-Identifier: GPL-2.0-or-later
#include "calibrate.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "frames.h"
#include "polltrace.skel.h"

#define ROUNDS 4
#define BATCHES 6
#define BATCH_POLLS 256

static int ascending(const void *a, const void *b) {
    double left = *(const double *)a, right = *(const double *)b;

    return left < right ? -1 : left > right;
}

static void time_polls(int fd, double *ns) {
    for (int batch = 0; batch < BATCHES; batch++) {
        uint64_t start = monotonic_ns();

        for (int i = 0; i < BATCH_POLLS; i++) {
            struct pollfd one = {fd, POLLIN, 0};

            poll(&one, 1, 0);
        }
        ns[batch] = (double)(monotonic_ns() - start) / BATCH_POLLS;
    }
}

static void forget_self(struct watched *w) {
    for (uint32_t i = 0; i < w->slots; i++) {
        if (w->process[i].stage == STAGE_KEPT &&
            w->process[i].pid == getpid()) {
            close(w->process[i].pidfd);
            watched_retire(w, i);
            w->alive--;
        }
    }
}

double calibrate_cost_ns(struct watched *w, const struct options *o) {
    double without[ROUNDS * BATCHES], with[ROUNDS * BATCHES], cost;
    const int middle = ROUNDS * BATCHES / 2;
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) ||
        !watched_add(w, getpid()))
        fail(EXIT_ATTACH, "cannot measure the probe's own cost");
    w->probe->skel->bss->window_open = 1;
    for (int round = 0; round < ROUNDS; round++) {
        time_polls(pair[0], without + round * BATCHES);
        probe_attach_calls(w->probe, o);
        time_polls(pair[0], with + round * BATCHES);
        probe_detach_calls(w->probe);
    }
    w->probe->skel->bss->window_open = 0;
    forget_self(w);
    close(pair[0]);
    close(pair[1]);
    qsort(without, ROUNDS * BATCHES, sizeof(double), ascending);
    qsort(with, ROUNDS * BATCHES, sizeof(double), ascending);
    cost = with[middle] - without[middle];
    return cost > 0 ? cost : 0;
}
