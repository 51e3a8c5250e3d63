// SPDX-License-Identifier: GPL-2.0-or-later
// Oracle Net packets on one socket, or on two pipes.
#ifndef ORALAB_TNS_H
#define ORALAB_TNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "process/wait.h"

enum packet_type {
    TNS_CONNECT = 1,
    TNS_ACCEPT = 2,
    TNS_REFUSE = 4,
    TNS_DATA = 6,
    TNS_MARKER = 12,
    TNS_CONTROL = 14,
};

enum marker {
    MARKER_BREAK = 1,
    MARKER_RESET = 2,
    MARKER_INTERRUPT = 3,
};

enum {
    TNS_HEADER = 8,
    TNS_DATA_FLAGS = 2, // precede the payload of a DATA packet
    TNS_LONGEST_PACKET = 65535,
    TNS_LARGE_LENGTHS_SINCE = 315, // protocol version: 4-byte lengths
    DATA_FLAG_EOF = 0x40,
};

struct packet {
    enum packet_type type;
    uint8_t flags;
    const uint8_t *body; // valid until the next packet is read
    size_t length;       // of the body
};

struct tns {
    int fd;       // to read from: a socket, or a pipe
    int out;      // to write to: the same socket, or another pipe
    bool large;   // lengths are 4 bytes: after ACCEPT, version >= 315
    bool gone;    // the client closed, or sent what is not Oracle Net
    uint32_t sdu; // longest packet to send
    size_t from;  // the bytes received and not yet taken:
    size_t to;    // buffer[from..to)
    // Of clock_us(): nothing is waited for longer. 0: there is no such time.
    int64_t deadline_us;
    // For the handler of SIGURG: bytes received in all, and whether some came
    // since the last call ended.
    volatile uint64_t total;
    volatile bool fresh;
    uint64_t *sent; // counts bytes, where the session wants them counted
    uint64_t *received;
    struct wait_clock *waits; // times what is waited for; NULL: not wanted
    enum wait_event awaited;  // what tns_read() waits for
    uint8_t buffer[2 * (TNS_LONGEST_PACKET + 1)];
};

void tns_open(struct tns *tns, int fd, int out);
// Waits for the next packet. False when the client is gone.
bool tns_read(struct tns *tns, struct packet *packet);
// True when bytes are here that no packet was made of yet.
bool tns_has_unread(const struct tns *tns);
// Takes what the socket holds without waiting, and takes out a BREAK or
// INTERRUPT marker if there is one, wherever it is. Sets `gone` at the end.
bool tns_take_break(struct tns *tns);
// Each returns false, and sets `gone`, when the client is gone.
bool tns_send(struct tns *tns, enum packet_type type, const uint8_t *body,
              size_t length);
bool tns_send_data(struct tns *tns, const uint8_t *payload, size_t length);
bool tns_send_marker(struct tns *tns, enum marker marker);

// What a MARKER packet says: its marker, or 0 for one that says nothing.
// An attention marker (type 2) only accompanies an urgent byte and counts as
// nothing here; `attention`, if not NULL, tells whether it was one.
enum marker tns_marker_of(const struct packet *packet, bool *attention);

#endif
