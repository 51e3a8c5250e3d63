// SPDX-License-Identifier: GPL-2.0-or-later
// The capabilities that both ends tell each other before the logon: indexes
// into the compile-time ones, and bits there.
#ifndef ORALAB_CAPABILITIES_H
#define ORALAB_CAPABILITIES_H

enum {
    PROTOCOL_VERSION = 6,
    CHARSET_AL32UTF8 = 873,
    CAP_LOGON = 4,
    LOGON_MIXED_BY_PBKDF2 = 0x20, // of the secrets of a logon; else as in 11g
    CAP_BACKPORT = 5,
    PLAIN_SCALES = 0x08, // see answer.c
    CAP_COMPRESSED_SCALES = 6,
    // In the table of types; see answer.c.
    TYPE_COLUMN_DESCRIPTION = 663,
    CAP_FIELD_VERSION = 7,
    CAP_WIDE_TYPES = 27, // types have two bytes
    CAP_LARGE = 37,
    LARGE_CHUNKS = 0x20,
    // 12 is 19.1. Later ones add fields that nothing here needs.
    OUR_FIELD_VERSION = 12,
};

#endif
