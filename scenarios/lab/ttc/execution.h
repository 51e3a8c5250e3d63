// SPDX-License-Identifier: GPL-2.0-or-later
// The message of kpoal8: what shall be done with which cursor.
#ifndef ORALAB_EXECUTION_H
#define ORALAB_EXECUTION_H

#include "ttc/server.h"

enum {
    OPTION_PARSE = 0x01,
    OPTION_BIND = 0x08,
    OPTION_DEFINE = 0x10,
    OPTION_EXECUTE = 0x20,
    OPTION_FETCH = 0x40,
    OPTION_COMMIT = 0x100,
    OPTION_COMMIT_AGAIN = 0x01, // in the second word of a re-execute

    AL8_ITERATIONS = 1,
    AL8_IS_QUERY = 7,
    AL8_FLAGS = 9,
    AL8_LENGTH = 13,
};

enum { FLAG_ROW_COUNTS = 0x4000 };

struct execution {
    uint32_t options;
    uint32_t cursor;
    uint32_t sql_length;
    uint32_t prefetch;
    bool has_binds;
    uint32_t binds;
    bool has_defines;
    uint32_t defines;
    struct bytes sql;
    uint32_t al8[AL8_LENGTH];
};

// Reads it up to the bind descriptions; `in.bad` when it is cut short.
void read_execution(struct server *server, struct execution *e);
// Reads a column or bind description; all that matters here is its type.
uint8_t read_oac(struct server *server);

#endif
