// SPDX-License-Identifier: GPL-2.0-or-later
// How a server that waits for another one hears of its client's break.
//
// Oracle's behaviour there is published nowhere. Here both connections are
// waited for in one system call; a break that comes as a signal interrupts it.
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <time.h>

#include "net/breakcheck.h"
#include "process/wait.h"

// Reads the client's data. False when nothing came: then there is no
// room for it, and its socket must not be waited for.
static bool hear(struct break_channel *channel) {
    struct tns *tns = channel->tns;
    const uint64_t total_before = tns->total;
    if (tns_take_break(tns))
        channel->stopping = true;
    if (tns->gone)
        channel->client_gone = 1;
    return tns->total != total_before || channel->stopping || tns->gone;
}

static bool has_to_stop(struct break_channel *channel) {
    if (channel->urgent || channel->client_gone)
        channel->stopping = true;
    return channel->stopping;
}

// Waits with the signals let in that are blocked all other time, so that none
// comes unnoticed between the check for it and the wait.
static enum awaited_result await_both(struct break_channel *channel,
                                      struct pollfd polled[2],
                                      int64_t deadline_us,
                                      const sigset_t *let_in) {
    for (;;) {
        struct timespec remaining = {0};
        if (channel && has_to_stop(channel))
            return AWAITED_STOPPED;
        const int64_t us = deadline_us ? deadline_us - clock_us() : 0;
        if (deadline_us && us <= 0)
            return AWAITED_TOO_LATE;
        remaining.tv_sec = us / 1000000;
        remaining.tv_nsec = us % 1000000 * 1000;
        polled[0].revents = polled[1].revents = 0;
        const int n = ppoll(polled, 2, deadline_us ? &remaining : NULL, let_in);
        if (n < 0 && errno != EINTR)
            return AWAITED_COMES; // receiving returns the error
        if (n > 0 && polled[0].revents)
            return AWAITED_COMES;
        if (n > 0 && polled[1].revents && !hear(channel))
            polled[1].fd = -1;
    }
}

enum awaited_result break_await(struct break_channel *channel, int fd,
                                int64_t deadline_us) {
    struct pollfd polled[2] = {{.fd = fd, .events = POLLIN},
                               {.fd = -1, .events = POLLIN}};
    sigset_t signals, before;
    if (channel && channel->mode == BREAK_IN_BAND) {
        polled[1].fd = channel->tns->fd;
        if (tns_has_unread(channel->tns))
            hear(channel);
    }
    sigemptyset(&signals);
    sigaddset(&signals, SIGURG);
    sigaddset(&signals, SIGALRM);
    sigprocmask(SIG_BLOCK, &signals, &before);
    const enum awaited_result result =
        await_both(channel, polled, deadline_us, &before);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return result;
}
