// SPDX-License-Identifier: GPL-2.0-only
#include "calibrate.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "frames.h"
#include "polltrace.skel.h"

#define ROUNDS 3
#define BATCHES 8
#define BATCH_POLLS 256

// The best of some batches: what disturbs only ever adds.
static double poll_ns(int fd) {
    double best = 1e9;

    for (int batch = 0; batch < BATCHES; batch++) {
        uint64_t start = monotonic_ns();
        double took;

        for (int i = 0; i < BATCH_POLLS; i++) {
            struct pollfd one = {fd, POLLIN, 0};

            poll(&one, 1, 0);
        }
        took = (double)(monotonic_ns() - start) / BATCH_POLLS;
        if (took < best)
            best = took;
    }
    return best;
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
    double without = 1e9, with = 1e9;
    int pair[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) ||
        !watched_add(w, getpid()))
        fail(EXIT_ATTACH, "cannot measure the probe's own cost");
    w->probe->skel->bss->window_open = 1;
    for (int round = 0; round < ROUNDS; round++) {
        double ns = poll_ns(pair[0]);

        without = ns < without ? ns : without;
        probe_attach_calls(w->probe, o);
        ns = poll_ns(pair[0]);
        with = ns < with ? ns : with;
        probe_detach_calls(w->probe);
    }
    w->probe->skel->bss->window_open = 0;
    forget_self(w);
    close(pair[0]);
    close(pair[1]);
    return with > without ? with - without : 0;
}
