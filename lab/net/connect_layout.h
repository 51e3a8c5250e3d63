// SPDX-License-Identifier: GPL-2.0-or-later
// Where the fields of CONNECT and ACCEPT are, for both of their ends.
#ifndef ORALAB_CONNECT_LAYOUT_H
#define ORALAB_CONNECT_LAYOUT_H

#include <stdint.h>

enum {
    OPTION_DONT_CARE = 0x0001,
    OPTION_RECEIVE_ATTENTION = 0x0400, // out-of-band breaks
    FLAG_CHECK_OOB = 0x0001,           // connect flags 2: the path check
    NSI_NO_NATIVE_SERVICES = 0x04,     // no native encryption on offer
    NSI_NO_SERVICES_LINKED = 0x08,

    // 318 is 19c, the first that knows the path check.
    OUR_VERSION = 318,
    OLDEST_VERSION = 300,

    // Offsets into the packets' bodies; the header's 8 bytes are not counted.
    CONNECT_FIXED_PART = 26,
    CONNECT_LARGE_SDU = 50,
    CONNECT_FLAGS_2 = 62,
    CONNECT_WITH_FLAGS_2 = 66,
    ACCEPT_WITH_FLAGS_2 = 45, // whole packets
    ACCEPT_WITHOUT = 41,

    SMALLEST_SDU = 512,
    SDU_BEFORE_315 = 8192,
};

static inline uint16_t u16(const uint8_t *at) {
    return (uint16_t)(at[0] << 8 | at[1]);
}

static inline uint32_t u32(const uint8_t *at) {
    return (uint32_t)u16(at) << 16 | u16(at + 2);
}

static inline void put_u16(uint8_t *at, unsigned value) {
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static inline void put_u32(uint8_t *at, uint32_t value) {
    put_u16(at, value >> 16);
    put_u16(at + 2, value & 0xffff);
}

#endif
