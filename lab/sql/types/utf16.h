// SPDX-License-Identifier: GPL-2.0-or-later
// UTF-16 with the upper byte first: the national character set, AL16UTF16, and
// the form of a CLOB's characters on the wire.
#ifndef ORALAB_UTF16_H
#define ORALAB_UTF16_H

#include <stddef.h>
#include <stdint.h>

// `to` has room for 3 bytes for each unit of 2. Returns how many were written.
// Half a pair becomes U+FFFD.
size_t utf16_to_utf8(const uint8_t *from, size_t length, char *to);
// `to` has room for 2 bytes for each byte.
size_t utf16_from_utf8(const char *from, size_t length, uint8_t *to);

#endif
