// SPDX-License-Identifier: GPL-2.0-or-later
// Values as bytes, which outlive the session.
#ifndef ORALAB_SCALAR_BYTES_H
#define ORALAB_SCALAR_BYTES_H

#include "plsql/session.h"

enum { SCALAR_NUMBER_BYTES = 8 };

// SQLITE_INTEGER and the like.
uint8_t scalar_byte_type(const struct scalar *scalar);
// The bytes of the value, in the scalar itself or in `number`.
size_t scalar_bytes(const struct scalar *scalar,
                    uint8_t number[SCALAR_NUMBER_BYTES], const void **bytes);
// Its type and its bytes, from sqlite3_malloc(). NULL without memory.
void *scalar_to_bytes(const struct scalar *scalar, uint64_t *length);
// From scalar_to_bytes(). False without memory, or if it is no value.
bool scalar_of_bytes(struct plsql_session *session, const void *bytes,
                     uint64_t length, struct scalar *to);

#endif
