// SPDX-License-Identifier: GPL-2.0-or-later
#include "plsql/scalar_bytes.h"

#include <sqlite3.h>
#include <string.h>

#include "plsql/supplied.h"

uint8_t scalar_byte_type(const struct scalar *scalar) {
    return (uint8_t)(scalar->kind == SCALAR_NULL ? SQLITE_NULL
                     : scalar->kind == SCALAR_INTEGER
                         ? SQLITE_INTEGER
                         : sqlite3_value_type(scalar->value));
}

size_t scalar_bytes(const struct scalar *scalar,
                    uint8_t number[SCALAR_NUMBER_BYTES], const void **bytes) {
    *bytes = number;
    switch (scalar_byte_type(scalar)) {
    case SQLITE_NULL:
        return 0;
    case SQLITE_INTEGER:
        memcpy(number, &scalar->integer, SCALAR_NUMBER_BYTES);
        return SCALAR_NUMBER_BYTES;
    case SQLITE_FLOAT: {
        const double real = sqlite3_value_double(scalar->value);
        memcpy(number, &real, SCALAR_NUMBER_BYTES);
        return SCALAR_NUMBER_BYTES;
    }
    default:
        *bytes = sqlite3_value_blob(scalar->value);
        return (size_t)sqlite3_value_bytes(scalar->value);
    }
}

void *scalar_to_bytes(const struct scalar *scalar, uint64_t *length) {
    uint8_t number[SCALAR_NUMBER_BYTES];
    const void *bytes;
    const size_t count = scalar_bytes(scalar, number, &bytes);
    uint8_t *copy = sqlite3_malloc64(count + 1);
    if (!copy)
        return NULL;
    copy[0] = scalar_byte_type(scalar);
    if (count > 0)
        memcpy(copy + 1, bytes, count);
    *length = count + 1;
    return copy;
}

bool scalar_of_bytes(struct plsql_session *p, const void *bytes,
                     uint64_t length, struct scalar *to) {
    const uint8_t *from = bytes;
    *to = (struct scalar){.kind = SCALAR_NULL};
    if (length == 0 || (length != 1 + SCALAR_NUMBER_BYTES &&
                        (*from == SQLITE_INTEGER || *from == SQLITE_FLOAT)))
        return false;
    if (*from == SQLITE_NULL)
        return true;
    if (*from == SQLITE_INTEGER) {
        to->kind = SCALAR_INTEGER;
        memcpy(&to->integer, from + 1, sizeof to->integer);
        return true;
    }
    return scalar_of_stored(p, *from, from + 1, length - 1, to);
}
