// SPDX-License-Identifier: GPL-2.0-or-later
// Where a link leads to: the string after USING.
#ifndef ORALAB_ADDRESS_H
#define ORALAB_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

struct address {
    char host[256];
    char port[6];
    char service[128];
    uint32_t sdu; // 0: none is named
};

// Reads HOST[:PORT]/SERVICE, or a descriptor of one TCP address. False where it
// is neither.
bool address_read(const char *text, struct address *address);

#endif
