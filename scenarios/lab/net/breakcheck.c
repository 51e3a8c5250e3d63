// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "net/breakcheck.h"

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
    bool asked = tns_take_break(channel->tns);
    if (channel->tns->gone)
        channel->client_gone = 1;
    return asked || channel->client_gone;
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

bool break_reset(struct break_channel *channel) {
    struct tns *tns = channel->tns;
    struct packet packet;
    const struct timespec wait = {0, channel->answer_after_ms * 1000000L};
    if (channel->answer_after_ms > 0)
        nanosleep(&wait, NULL);
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
    bool here = true;
    tns->awaited = WAIT_BREAK_RESET;
    do
        here = tns_read(tns, &packet);
    while (here && (packet.type != TNS_MARKER ||
                    tns_marker_of(&packet, NULL) != MARKER_RESET));
    tns->awaited = awaited;
    channel->urgent = 0;
    channel->stopping = false;
    return here;
}
