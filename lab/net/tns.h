// SPDX-License-Identifier: GPL-2.0-or-later
// Oracle Net packets on one socket, or on two pipes.
#ifndef ORALAB_TNS_H
#define ORALAB_TNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "process/wait.h"

enum packet_type {
    TNS_CONNECT = 1,
    TNS_ACCEPT = 2,
    TNS_REFUSE = 4,
    TNS_DATA = 6,
    TNS_RESEND = 11,
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
    TNS_LARGEST_SDU = 2 << 20,
    TNS_USUAL_PACKET = 65535,      // the longest, unless the SDU allows longer
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
    int fd;             // to read from: a socket, or a pipe
    int out;            // to write to: the same socket, or another pipe
    bool large;         // lengths are 4 bytes: after ACCEPT, version >= 315
    bool gone;          // the client closed, or sent no Oracle Net packet
    char fault[96];     // the error; "" where the client closed
    struct ssl_st *tls; // encrypts the packets; NULL: plain ones
    FILE *trace;        // of every packet; NULL: none is wanted
    uint32_t sdu;       // longest packet to send
    size_t from;        // the bytes received and not yet taken:
    size_t to;          // buffer[from..to)
    // Of clock_us(): nothing is waited for longer. 0: there is no such time.
    int64_t deadline_us;
    // For the handler of SIGURG: bytes received in all, and whether some came
    // since the last call ended.
    volatile uint64_t total;
    volatile bool fresh;
    uint64_t *sent; // counts bytes, where the session wants them counted
    uint64_t *received;
    struct wait_clock *waits; // times the waits; NULL: not wanted
    enum wait_event awaited;  // the wait of tns_read()
    // Of sending: the first packet of a message or answer, and the others.
    enum wait_event sends, sends_more;
    bool answering; // a part of the current answer has been sent
    // Waits until there is something to receive. False to give up, which may
    // set `gone`. NULL: receiving waits.
    bool (*wait)(struct tns *tns);
    uint8_t *buffer;
    size_t room; // of the buffer: more than the longest packet has
};

// False without memory. To be closed in any case.
bool tns_open(struct tns *tns, int fd, int out);
void tns_close(struct tns *tns); // leaves the descriptors open
// The longest packet to send, and to take. False without memory.
bool tns_set_sdu(struct tns *tns, uint32_t sdu);
// The bytes of an answer that fill a packet.
size_t tns_payload(const struct tns *tns);
// Waits for the next packet. False when the client is gone, or where `wait`
// gave up.
bool tns_read(struct tns *tns, struct packet *packet);
// Whether that packet is here already.
bool tns_has_packet(const struct tns *tns);
// Sets `gone`, and the reason. Always false.
bool tns_lose(struct tns *tns, const char *what, const char *why);
// True when bytes are here that no packet was made of yet.
bool tns_has_unread(const struct tns *tns);
// Takes the socket's bytes without waiting, and takes out a BREAK or
// INTERRUPT marker if there is one, wherever it is. Sets `gone` at the end.
bool tns_take_break(struct tns *tns);
// Each returns false, and sets `gone`, when the client is gone.
bool tns_send(struct tns *tns, enum packet_type type, const uint8_t *body,
              size_t length);
// The first packet of an answer is the message, all others are more data; for
// the next one `answering` is to be reset.
bool tns_send_data(struct tns *tns, const uint8_t *payload, size_t length);
bool tns_send_marker(struct tns *tns, enum marker marker);

// The marker in a MARKER packet, or 0 if it has none. An attention marker
// (type 2) only accompanies an urgent byte and counts as none here;
// `attention`, if not NULL, becomes true for it and false for all others.
enum marker tns_marker_of(const struct packet *packet, bool *attention);

#endif
