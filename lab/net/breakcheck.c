// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "net/breakcheck.h"

#include <errno.h>
#include <poll.h>
#include <time.h>

__attribute__((noinline)) static bool
sntpoltsts(struct break_channel *channel) {
    struct pollfd socket = {.fd = channel->tns->fd, .events = POLLIN};
    ++*channel->polls;
    // A signal may end the system call early; the next poll is soon enough.
    return poll(&socket, 1, 0) > 0;
}

__attribute__((noinline)) static bool
snttmoredata(struct break_channel *channel) {
    if (!sntpoltsts(channel) && !tns_has_unread(channel->tns))
        return false;
    bool break_requested = tns_take_break(channel->tns);
    if (channel->tns->gone)
        channel->client_gone = 1;
    return break_requested || channel->client_gone;
}

__attribute__((noinline)) static bool
nsmore2recv(struct break_channel *channel) {
    ++*channel->checks;
    if (++channel->skipped < channel->skip)
        return false;
    channel->skipped = 0;
    return snttmoredata(channel);
}

__attribute__((noinline)) bool nioqts(struct break_channel *channel) {
    if (channel->stopping)
        return true;
    if (channel->urgent || channel->client_gone)
        channel->stopping = true;
    else if (channel->mode == BREAK_IN_BAND)
        channel->stopping = nsmore2recv(channel);
    return channel->stopping;
}

bool break_announced(struct break_channel *channel,
                     const struct packet *packet) {
    bool attention;
    const enum marker marker = tns_marker_of(packet, &attention);
    if (marker == MARKER_BREAK || marker == MARKER_INTERRUPT)
        return true;
    if (!attention)
        return false;
    const bool answered = channel->attention_due;
    channel->attention_due = false;
    if (!answered)
        channel->urgent = 0; // the other half of this
    return !answered;
}

bool break_overtook(struct break_channel *channel) {
    if (channel->urgent)
        channel->stopping = true;
    return channel->stopping;
}

static bool is_reset(struct break_channel *channel,
                     const struct packet *packet) {
    bool attention;
    const bool reset = tns_marker_of(packet, &attention) == MARKER_RESET;
    if (attention)
        channel->attention_due = false;
    return reset;
}

bool break_reset(struct break_channel *channel) {
    struct tns *tns = channel->tns;
    struct packet packet;
    struct timespec remaining = {0, channel->answer_after_ms * 1000000L};
    if (channel->urgent)
        channel->attention_due = true;
    if (channel->answer_after_ms > 0)
        while (nanosleep(&remaining, &remaining) != 0 && errno == EINTR)
            ; // the timer's signal comes at any time
    // As Oracle counts them: one for each marker that goes out.
    for (enum marker out = MARKER_BREAK; out <= MARKER_RESET; out++) {
        wait_begins(tns->waits, WAIT_BREAK_RESET, out == MARKER_BREAK);
        bool sent = tns_send_marker(tns, out);
        wait_ends(tns->waits, 1);
        if (!sent)
            return false;
    }
    // Data on its way belongs to the call that was broken, further breaks to
    // the same wish: all of it goes.
    const enum wait_event awaited = tns->awaited;
    bool arrived = true;
    tns->awaited = WAIT_BREAK_RESET;
    do
        arrived = tns_read(tns, &packet);
    while (arrived &&
           (packet.type != TNS_MARKER || !is_reset(channel, &packet)));
    tns->awaited = awaited;
    channel->urgent = 0;
    channel->stopping = false;
    return arrived;
}
