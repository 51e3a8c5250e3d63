// SPDX-License-Identifier: GPL-2.0-or-later
// Changes the inside of one packet and corrects its length, so that the packets
// after it are still read. One time in four any byte of the input may change.
#include <stdint.h>
#include <string.h>

enum { HEADER = 8, MOST_PACKETS = 256, LONGEST_BODY = 8192 };

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
                               unsigned seed);

// Before ACCEPT lengths have two bytes, later four; none reaches 65536.
static size_t length_of(const uint8_t *length_bytes) {
    return length_bytes[0] || length_bytes[1]
               ? (size_t)length_bytes[0] << 8 | length_bytes[1]
               : (size_t)length_bytes[2] << 8 | length_bytes[3];
}

static void set_length(uint8_t *at, size_t length) {
    uint8_t *to = at[0] || at[1] ? at : at + 2;
    to[0] = (uint8_t)(length >> 8);
    to[1] = (uint8_t)length;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
                               unsigned seed) {
    size_t packet[MOST_PACKETS], packets = 0;
    uint8_t body[LONGEST_BODY];
    for (size_t header = 0;
         header + HEADER <= size && packets < MOST_PACKETS;) {
        size_t length = length_of(data + header);
        if (length < HEADER || length > size - header)
            break;
        packet[packets++] = header;
        header += length;
    }
    if (packets == 0 || seed % 4 == 0)
        return LLVMFuzzerMutate(data, size, most);
    uint8_t *header = data + packet[seed / 4 % packets];
    size_t old = length_of(header) - HEADER, room = most - size + old;
    if (room > sizeof body)
        room = sizeof body;
    // Without space for a byte, LLVMFuzzerMutate() would take one all the same.
    if (room == 0 || old > room)
        return LLVMFuzzerMutate(data, size, most);
    memcpy(body, header + HEADER, old);
    size_t new = LLVMFuzzerMutate(body, old, room);
    uint8_t *next_packet = header + HEADER + old;
    memmove(header + HEADER + new, next_packet,
            (size_t)(data + size - next_packet));
    memcpy(header + HEADER, body, new);
    set_length(header, HEADER + new);
    return size - old + new;
}
