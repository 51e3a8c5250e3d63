// SPDX-License-Identifier: GPL-2.0-or-later
// A NUMBER of SQLite's as it goes over the wire.
#ifndef ORALAB_WIRE_NUMBER_H
#define ORALAB_WIRE_NUMBER_H

#include <stddef.h>
#include <stdint.h>

struct sqlite3_value;

// Writes at most NUMBER_BYTES. Returns how many; 0: it is no number.
size_t wire_number(struct sqlite3_value *value, uint8_t *to);

#endif
