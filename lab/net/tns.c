// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "net/tns.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "net/net_trace.h"
#include "net/tls.h"

enum {
    URGENT_BYTE = '!', // that every driver sends as urgent data
    PACKETS_PER_SEND = 32,
};

static const uint8_t *packet_start(const struct tns *tns) {
    return tns->buffer + tns->from;
}

bool tns_open(struct tns *tns, int fd, int out) {
    *tns = (struct tns){.fd = fd,
                        .out = out,
                        .sdu = 8192,
                        .sends = WAIT_MESSAGE_TO_CLIENT,
                        .sends_more = WAIT_MORE_TO_CLIENT};
    return tns_set_sdu(tns, tns->sdu);
}

void tns_close(struct tns *tns) {
    tls_close(tns->tls);
    tns->tls = NULL;
    free(tns->buffer);
    tns->buffer = NULL;
}

// A client that pays no attention to the SDU may send longer packets.
static size_t longest_packet(const struct tns *tns) {
    return tns->sdu > TNS_USUAL_PACKET ? tns->sdu : TNS_USUAL_PACKET;
}

bool tns_set_sdu(struct tns *tns, uint32_t sdu) {
    tns->sdu = sdu;
    const size_t room = longest_packet(tns) + TNS_USUAL_PACKET + 2;
    if (room <= tns->room)
        return true;
    uint8_t *grown = realloc(tns->buffer, room);
    if (!grown)
        return false;
    tns->buffer = grown;
    tns->room = room;
    return true;
}

size_t tns_payload(const struct tns *tns) {
    return tns->sdu - TNS_HEADER - TNS_DATA_FLAGS;
}

bool tns_has_unread(const struct tns *tns) {
    return tns->to > tns->from || tls_has_unread(tns->tls);
}

bool tns_lose(struct tns *tns, const char *what, const char *why) {
    if (!tns->gone)
        snprintf(tns->fault, sizeof tns->fault, "%s%s", what, why);
    tns->gone = true;
    return false;
}

static bool is_piped(const struct tns *tns) {
    return tns->out != tns->fd;
}

// Waits for something to read, no longer than to the deadline.
static bool comes_in_time(const struct tns *tns) {
    struct pollfd polled = {.fd = tns->fd, .events = POLLIN};
    int64_t remaining;
    if (tls_has_unread(tns->tls))
        return true;
    while ((remaining = tns->deadline_us - clock_us()) > 0) {
        const int n = poll(&polled, 1, (int)(remaining / 1000) + 1);
        if (n > 0 || (n < 0 && errno != EINTR))
            return true; // recv() returns data or the error
    }
    return false;
}

// Receives as much as fits. False when the client is gone; with
// MSG_DONTWAIT, having received nothing is fine.
static bool receive(struct tns *tns, int flags) {
    if (tns->from > 0) {
        memmove(tns->buffer, packet_start(tns), tns->to - tns->from);
        tns->to -= tns->from;
        tns->from = 0;
    }
    if (tns->to == tns->room)
        return true;
    ssize_t n;
    const bool waits = !(flags & MSG_DONTWAIT);
    if (waits && tns->deadline_us && !comes_in_time(tns))
        return tns_lose(tns, "ORA-12170: TNS:Connect timeout occurred", "");
    if (waits && tns->wait && !tns->wait(tns))
        return false;
    if (waits)
        wait_begins(tns->waits, tns->awaited, 0);
    uint8_t *target = tns->buffer + tns->to;
    const size_t room = tns->room - tns->to;
    do
        n = tns->tls        ? tls_read(tns->tls, target, room, waits)
            : is_piped(tns) ? read(tns->fd, target, room)
                            : recv(tns->fd, target, room, flags);
    while (n < 0 && errno == EINTR);
    if (waits)
        wait_ends(tns->waits, 1);
    if (n < 0 && (flags & MSG_DONTWAIT) &&
        (errno == EAGAIN || errno == EWOULDBLOCK))
        return true;
    if (n < 0)
        return tns_lose(tns, "cannot receive: ", strerror(errno));
    if (n == 0) {
        tns->gone = true;
        return false;
    }
    tns->to += (size_t)n;
    tns->fresh = true;
    tns->total += (uint64_t)n;
    if (tns->received)
        *tns->received += (uint64_t)n;
    return true;
}

// The length of the packet that starts at `at`, 0 while too little of it is
// here to know, or SIZE_MAX when it cannot be a packet.
static size_t packet_length(const struct tns *tns, const uint8_t *at,
                            size_t have) {
    if (have < 4)
        return 0;
    size_t length = tns->large ? (size_t)at[0] << 24 | (size_t)at[1] << 16 |
                                     (size_t)at[2] << 8 | at[3]
                               : (size_t)at[0] << 8 | at[1];
    if (length < TNS_HEADER || length > longest_packet(tns))
        return SIZE_MAX;
    return length;
}

// Linux keeps one urgent mark: an urgent byte overtaken by a second one turns
// into ordinary data, in front of a packet. No packet begins with it: that
// would be a length of 8,448 with version < 315 and of 550 MB after.
static void drop_overtaken_urgent_byte(struct tns *tns) {
    if (tns->large && tns->to > tns->from &&
        tns->buffer[tns->from] == URGENT_BYTE)
        tns->from++;
}

static void packet_at(const uint8_t *at, size_t length, struct packet *packet) {
    packet->type = at[4];
    packet->flags = at[5];
    packet->body = at + TNS_HEADER;
    packet->length = length - TNS_HEADER;
}

// The bytes at `at` are no packet.
static bool lose_step(struct tns *tns, const uint8_t *at) {
    char header[32];
    snprintf(header, sizeof header, "%02x %02x %02x %02x", at[0], at[1], at[2],
             at[3]);
    return tns_lose(tns, "ORA-12592: TNS:bad packet, it begins with ", header);
}

bool tns_has_packet(const struct tns *tns) {
    const size_t have = tns->to - tns->from;
    const size_t length = packet_length(tns, packet_start(tns), have);
    return length > 0 && have >= length; // or it is none
}

bool tns_read(struct tns *tns, struct packet *packet) {
    for (;;) {
        drop_overtaken_urgent_byte(tns);
        size_t have = tns->to - tns->from;
        size_t length = packet_length(tns, packet_start(tns), have);
        if (length == SIZE_MAX)
            return lose_step(tns, packet_start(tns));
        if (length && have >= length) {
            packet_at(packet_start(tns), length, packet);
            net_trace_packet(tns->trace, "nsprecv", packet_start(tns), length,
                             NULL, 0);
            tns->from += length;
            return true;
        }
        if (!receive(tns, 0))
            return false;
    }
}

enum marker tns_marker_of(const struct packet *packet, bool *attention) {
    bool accompanies = packet->length >= 1 && packet->body[0] == 2;
    if (attention)
        *attention = accompanies;
    if (packet->length < 3 || accompanies || packet->body[2] < MARKER_BREAK ||
        packet->body[2] > MARKER_INTERRUPT)
        return 0;
    return packet->body[2];
}

bool tns_take_break(struct tns *tns) {
    if (!receive(tns, MSG_DONTWAIT))
        return false;
    size_t index = tns->from;
    while (index < tns->to) {
        uint8_t *start = tns->buffer + index;
        size_t length = packet_length(tns, start, tns->to - index);
        if (length == SIZE_MAX)
            return lose_step(tns, start);
        if (length == 0 || length > tns->to - index)
            return false;
        struct packet packet;
        packet_at(start, length, &packet);
        enum marker marker =
            packet.type == TNS_MARKER ? tns_marker_of(&packet, NULL) : 0;
        if (marker == MARKER_BREAK || marker == MARKER_INTERRUPT) {
            net_trace_packet(tns->trace, "nsprecv", start, length, NULL, 0);
            memmove(start, start + length, tns->to - index - length);
            tns->to -= length;
            return true;
        }
        index += length;
    }
    return false;
}

static bool send_all(struct tns *tns, struct iovec *io, size_t count) {
    struct msghdr message = {.msg_iov = io, .msg_iovlen = count};
    if (tns->tls) {
        if (!tls_write(tns->tls, io, count))
            return tns_lose(tns, "cannot send over TLS", "");
        for (size_t i = 0; i < count && tns->sent; i++)
            *tns->sent += io[i].iov_len;
        return true;
    }
    while (message.msg_iovlen > 0) {
        ssize_t n = is_piped(tns) ? writev(tns->out, message.msg_iov,
                                           (int)message.msg_iovlen)
                                  : sendmsg(tns->out, &message, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return tns_lose(tns, "cannot send: ", strerror(errno));
        if (tns->sent)
            *tns->sent += (uint64_t)n;
        size_t ok = (size_t)n;
        while (message.msg_iovlen > 0 && ok >= message.msg_iov->iov_len) {
            ok -= message.msg_iov->iov_len;
            message.msg_iov++;
            message.msg_iovlen--;
        }
        if (message.msg_iovlen > 0) {
            message.msg_iov->iov_base =
                (uint8_t *)message.msg_iov->iov_base + ok;
            message.msg_iov->iov_len -= ok;
        }
    }
    return true;
}

static void write_header(const struct tns *tns, uint8_t *header,
                         enum packet_type type, size_t body) {
    uint32_t length = (uint32_t)(TNS_HEADER + body);
    memset(header, 0, TNS_HEADER);
    if (tns->large) {
        header[0] = (uint8_t)(length >> 24);
        header[1] = (uint8_t)(length >> 16);
        header[2] = (uint8_t)(length >> 8);
        header[3] = (uint8_t)length;
    } else {
        header[0] = (uint8_t)(length >> 8);
        header[1] = (uint8_t)length;
    }
    header[4] = (uint8_t)type;
    // As real servers do; no driver minds either way.
    header[5] = type == TNS_MARKER || type == TNS_CONTROL ? 0x20 : 0;
}

bool tns_send(struct tns *tns, enum packet_type type, const uint8_t *body,
              size_t length) {
    uint8_t header[TNS_HEADER];
    write_header(tns, header, type, length);
    struct iovec io[2] = {{header, sizeof header}, {(void *)body, length}};
    net_trace_packet(tns->trace, "nspsend", header, sizeof header, body,
                     length);
    return send_all(tns, io, 2);
}

// The first packet of an answer is the message, the others are more data.
static bool send_timed(struct tns *tns, struct iovec *io, size_t packets,
                       enum wait_event event) {
    if (event == tns->sends) {
        wait_begins(tns->waits, event, 1);
        bool sent = send_all(tns, io, 2);
        wait_ends(tns->waits, 1);
        if (!sent || packets == 1)
            return sent;
        io += 2;
        packets--;
    }
    wait_begins(tns->waits, tns->sends_more, tns->sdu);
    bool sent = send_all(tns, io, 2 * packets);
    wait_ends(tns->waits, (unsigned)packets);
    return sent;
}

bool tns_send_data(struct tns *tns, const uint8_t *payload, size_t length) {
    const size_t limit = tns_payload(tns);
    uint8_t headers[PACKETS_PER_SEND][TNS_HEADER + TNS_DATA_FLAGS];
    while (length > 0) {
        const enum wait_event event =
            tns->answering ? tns->sends_more : tns->sends;
        struct iovec io[2 * PACKETS_PER_SEND];
        size_t n = 0;
        while (n < PACKETS_PER_SEND && length > 0) {
            size_t chunk = length < limit ? length : limit;
            write_header(tns, headers[n], TNS_DATA, TNS_DATA_FLAGS + chunk);
            headers[n][TNS_HEADER] = headers[n][TNS_HEADER + 1] = 0;
            io[2 * n] = (struct iovec){headers[n], sizeof headers[n]};
            io[2 * n + 1] = (struct iovec){(void *)payload, chunk};
            net_trace_packet(tns->trace, "nspsend", headers[n],
                             sizeof headers[n], payload, chunk);
            payload += chunk;
            length -= chunk;
            n++;
        }
        if (!send_timed(tns, io, n, event))
            return false;
        tns->answering = true;
    }
    return true;
}

bool tns_send_marker(struct tns *tns, enum marker marker) {
    const uint8_t body[3] = {1, 0, (uint8_t)marker};
    return tns_send(tns, TNS_MARKER, body, sizeof body);
}
