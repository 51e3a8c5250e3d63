// SPDX-License-Identifier: GPL-2.0-or-later
// The numbers of types by which clients declare binds.
#ifndef ORALAB_BIND_TYPES_H
#define ORALAB_BIND_TYPES_H

enum {
    TYPE_VARCHAR2 = 1,
    TYPE_NUMBER = 2,
    TYPE_INTEGER = 3,
    TYPE_LONG = 8,
    TYPE_ROWID = 11,
    TYPE_DATE = 12,
    TYPE_RAW = 23,
    TYPE_LONG_RAW = 24,
    TYPE_PROGRAM_LONG = 94,
    TYPE_PROGRAM_LONG_RAW = 95,
    TYPE_CHAR = 96,
    TYPE_BINARY_FLOAT = 100,
    TYPE_BINARY_DOUBLE = 101,
    TYPE_CURSOR = 102,
    TYPE_CLOB = 112,
    TYPE_BLOB = 113,
    TYPE_TIMESTAMP = 180,
    TYPE_TIMESTAMP_TZ = 181,
    TYPE_INTERVAL_YM = 182,
    TYPE_INTERVAL_DS = 183,
    TYPE_PROGRAM_INTERVAL_YM = 189,
    TYPE_PROGRAM_INTERVAL_DS = 190,
    // As programs declare the three types of TIMESTAMP, go-ora among them.
    TYPE_PROGRAM_TIMESTAMP = 187,
    TYPE_PROGRAM_TIMESTAMP_TZ = 188,
    TYPE_TIMESTAMP_LTZ = 231,
    TYPE_PROGRAM_TIMESTAMP_LTZ = 232,
    TYPE_BOOLEAN = 252, // of PL/SQL
};

#endif
