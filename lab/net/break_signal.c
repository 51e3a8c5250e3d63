// SPDX-License-Identifier: GPL-2.0-or-later
// The two signals of a dedicated server: SIGURG, which brings an out-of-band
// break, and a slow timer, which finds out that the client is gone while a
// call runs that never reads the socket.
#define _GNU_SOURCE
#include "net/breakcheck.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <linux/tcp.h> // the C library has no tcpi_bytes_received
#include <netinet/in.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { LIVENESS_INTERVAL_US = 300000 };

static struct break_channel *the_channel; // one per process, as the signals
static volatile sig_atomic_t timer_runs;

// How many bytes came before the urgent one that we have not counted: in the
// socket, or of a recv() that has just returned, for a signal that was pending
// comes before we can count them.
static int64_t uncounted(const struct break_channel *channel) {
    const int fd = channel->tns->fd;
    struct tcp_info info = {0};
    socklen_t length = sizeof info;
    int ahead = 0;
    char discarded[64]; // ojdbc sends a marker after it
    // Counts only as far as the urgent mark, so before the byte is taken.
    if (ioctl(fd, SIOCINQ, &ahead) == 0 && ahead > 0)
        return ahead;
    const ssize_t behind =
        recv(fd, discarded, sizeof discarded, MSG_PEEK | MSG_DONTWAIT);
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length))
        return 0;
    return (int64_t)(info.tcpi_bytes_received - channel->tns->total -
                     channel->urgent_bytes) -
           1 - (behind > 0 ? behind : 0);
}

// An urgent byte that comes while no call runs and nothing precedes it in the
// stream crossed our last answer: the call it was meant for is over. Or it
// overtook its call; break_announced() learns from the client which it was.
static bool belongs_to_a_call(const struct break_channel *channel) {
    if (channel->in_call || channel->mode == BREAK_BY_SIGNAL)
        return channel->in_call;
    return channel->tns->fresh || tns_has_unread(channel->tns) ||
           uncounted(channel) > 0;
}

// The byte has to be taken here: Linux drops it once an ordinary recv() goes
// past the mark, and a second one would turn the first into ordinary data.
static void on_urgent(int signal) {
    (void)signal;
    int saved = errno;
    struct break_channel *channel = the_channel;
    const bool belongs = belongs_to_a_call(channel);
    char byte;
    const bool came =
        channel->mode != BREAK_BY_SIGNAL &&
        recv(channel->tns->fd, &byte, 1, MSG_OOB | MSG_DONTWAIT) == 1;
    channel->urgent_bytes += came;
    if (belongs || (came && channel->path_checked))
        channel->urgent = 1;
    channel->probed = 1;
    errno = saved;
}

// Not by poll(): that is how break polls are recognised.
static bool client_closed(int fd) {
    struct tcp_info info;
    socklen_t length = sizeof info;
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length))
        return false; // not TCP
    enum { ESTABLISHED = 1 };
    return info.tcpi_state != ESTABLISHED;
}

static void run_timer(bool on) {
    const suseconds_t us = on ? LIVENESS_INTERVAL_US : 0;
    const struct itimerval every = {{0, us}, {0, us}};
    timer_runs = on;
#ifndef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION // libFuzzer has this timer
    setitimer(ITIMER_REAL, &every, NULL);
#else
    (void)every;
#endif
}

static void on_timer(int signal) {
    (void)signal;
    int saved = errno;
    // Left running across short calls, so that those cost no system call.
    if (!the_channel->in_call)
        run_timer(false);
    else if (the_channel->mode == BREAK_BY_SIGNAL
                 ? __atomic_load_n(the_channel->bridge_gone, __ATOMIC_ACQUIRE)
                 : client_closed(the_channel->tns->fd))
        the_channel->client_gone = 1;
    errno = saved;
}

bool break_channel_open(struct break_channel *channel) {
    struct sigaction urgent = {.sa_handler = on_urgent, .sa_flags = SA_RESTART};
    struct sigaction timer = {.sa_handler = on_timer, .sa_flags = SA_RESTART};
    sigemptyset(&urgent.sa_mask);
    sigaddset(&urgent.sa_mask, SIGALRM);
    sigemptyset(&timer.sa_mask);
    sigaddset(&timer.sa_mask, SIGURG);
    the_channel = channel;
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    (void)timer;
    return true;
#endif
    return sigaction(SIGALRM, &timer, NULL) == 0 &&
           (channel->mode == BREAK_IN_BAND ||
            (sigaction(SIGURG, &urgent, NULL) == 0 &&
             (channel->mode == BREAK_BY_SIGNAL ||
              fcntl(channel->tns->fd, F_SETOWN, getpid()) == 0)));
}

void break_channel_call_begins(struct break_channel *channel) {
    channel->in_call = true;
    if (!timer_runs)
        run_timer(true);
}

void break_channel_call_ends(struct break_channel *channel) {
    channel->in_call = false;
    channel->tns->fresh = false;
    if (!channel->path_checked)
        channel->urgent = 0;
    channel->stopping = false;
}
