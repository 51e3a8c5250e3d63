// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "listener/bridge.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "net/connect.h"
#include "net/tns.h"

enum { BUFFER = 256 * 1024 };

struct stream { // one way
    int from, to;
    size_t start, end; // of the bytes in `buffer` that are not written yet
    uint8_t buffer[BUFFER];
};

// Follows the packets of a stream as its bytes go by.
struct framing {
    bool large;                     // lengths have four bytes
    size_t remaining;               // of the current packet
    size_t have;                    // of its beginning:
    uint8_t begins[TNS_HEADER + 3]; // as long as a marker packet
};

static bool is_break(const struct framing *framing) {
    const uint8_t *body = framing->begins + TNS_HEADER;
    return framing->begins[4] == TNS_MARKER && body[0] == 1 &&
           (body[2] == MARKER_BREAK || body[2] == MARKER_INTERRUPT);
}

// Looks through bytes that came; calls `packet` with each packet's beginning.
static void follow(struct framing *framing, const uint8_t *at, size_t length,
                   void (*packet)(struct framing *framing, void *about),
                   void *about) {
    while (length > 0) {
        if (framing->have < TNS_HEADER) {
            framing->begins[framing->have++] = *at++;
            length--;
            if (framing->have < TNS_HEADER)
                continue;
            const uint8_t *b = framing->begins;
            const size_t packet_length =
                framing->large ? (size_t)b[0] << 24 | (size_t)b[1] << 16 |
                                     (size_t)b[2] << 8 | b[3]
                               : (size_t)b[0] << 8 | b[1];
            framing->remaining =
                packet_length > TNS_HEADER ? packet_length - TNS_HEADER : 0;
            memset(framing->begins + TNS_HEADER, 0, 3);
        } else {
            const size_t n =
                length < framing->remaining ? length : framing->remaining;
            for (size_t i = 0; i < n && framing->have < sizeof framing->begins;
                 i++)
                framing->begins[framing->have++] = at[i];
            at += n;
            length -= n;
            framing->remaining -= n;
        }
        if (framing->remaining == 0) {
            packet(framing, about);
            framing->have = 0;
        }
    }
}

// The signal is pending before the marker can be read: a server that reads
// the marker knows already whether the signal met its call.
static void on_client_packet(struct framing *framing, void *about) {
    if (is_break(framing))
        kill(*(const pid_t *)about, SIGURG);
}

// After ACCEPT, with a version of 315 or more, lengths have four bytes.
static void on_server_packet(struct framing *framing, void *about) {
    const uint8_t *body = framing->begins + TNS_HEADER;
    if (framing->begins[4] == TNS_ACCEPT &&
        (body[0] << 8 | body[1]) >= TNS_LARGE_LENGTHS_SINCE)
        framing->large = ((struct framing *)about)->large = true;
}

static bool read_some(struct stream *stream, const uint8_t **at,
                      size_t *length) {
    const ssize_t n =
        read(stream->from, stream->buffer + stream->end, BUFFER - stream->end);
    *at = stream->buffer + stream->end;
    *length = n > 0 ? (size_t)n : 0;
    stream->end += *length;
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

static bool write_some(struct stream *stream) {
    const ssize_t n = write(stream->to, stream->buffer + stream->start,
                            stream->end - stream->start);
    stream->start += n > 0 ? (size_t)n : 0;
    if (stream->start == stream->end)
        stream->start = stream->end = 0;
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

static bool set_nonblocking(int fd) {
    return fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) == 0;
}

// Writes the bytes that one side sent before it ended, if the other still
// reads.
static void flush(struct stream *stream) {
    enum { PATIENCE_MS = 1000 };
    struct pollfd polled = {stream->to, POLLOUT, 0};
    while (stream->start < stream->end && poll(&polled, 1, PATIENCE_MS) > 0 &&
           write_some(stream))
        ;
}

_Noreturn void bridge_run(int client, int to_server, int from_server,
                          pid_t server) {
    static struct stream up, down; // to the server, to the client
    struct framing requests = {0}, answers = {0};
    up.from = down.to = client;
    up.to = to_server;
    down.from = from_server;
    signal(SIGPIPE, SIG_IGN);
    bool open = set_nonblocking(client) && set_nonblocking(to_server) &&
                set_nonblocking(from_server);
    while (open) {
        const bool up_full = up.end == BUFFER, down_full = down.end == BUFFER;
        const bool up_waits = up.start < up.end;
        const bool down_waits = down.start < down.end;
        struct pollfd polled[] = {
            {client,
             (short)((up_full ? 0 : POLLIN) | (down_waits ? POLLOUT : 0)), 0},
            {up_waits ? to_server : -1, POLLOUT, 0},
            {down_full ? -1 : from_server, POLLIN, 0},
        };
        const uint8_t *bytes;
        size_t length;
        if (poll(polled, 3, -1) < 0)
            continue;
        if (!up_full && (polled[0].revents & (POLLIN | POLLHUP | POLLERR))) {
            open = read_some(&up, &bytes, &length);
            follow(&requests, bytes, length, on_client_packet, &server);
        }
        if (open && up.start < up.end)
            open = write_some(&up);
        if (open && (polled[2].revents & (POLLIN | POLLHUP | POLLERR))) {
            open = read_some(&down, &bytes, &length);
            follow(&answers, bytes, length, on_server_packet, &requests);
        }
        if (down.start < down.end)
            open = write_some(&down) && open;
    }
    flush(&down);
    flush(&up);
    _exit(0);
}
