// SPDX-License-Identifier: GPL-2.0-or-later
// The message of kpoal8: the operations to carry out, and their cursor.
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
    OPTION_ALL_VALUES = 0x400, // the binds that RETURNING sets have some, too
    OPTION_NOT_PLSQL = 0x8000,
    OPTION_BATCH_ERRORS = 0x80000,
    OPTION_COMMIT_AGAIN = 0x01, // in the second word of a re-execute

    AL8_ITERATIONS = 1,
    AL8_IS_QUERY = 7,
    AL8_FLAGS = 9,
    AL8_ORIENTATION = 10,
    AL8_POSITION = 11,
    AL8_LENGTH = 13,
};

enum { FLAG_SCROLLABLE = 0x02, FLAG_ROW_COUNTS = 0x4000 };

enum { // where a scrollable cursor is fetched from
    FETCH_CURRENT = 0x01,
    FETCH_FIRST = 0x04,
    FETCH_LAST = 0x08,
    FETCH_ABSOLUTE = 0x20,
    FETCH_RELATIVE = 0x40,
};

struct execution {
    uint32_t options;
    uint32_t cursor;
    uint32_t sql_length;
    uint32_t prefetch;
    struct bind_type *bind; // declared with this call; NULL: none are
    uint32_t binds;
    struct bind_type *define; // of columns; NULL: as they are described
    uint32_t defines;
    struct bytes sql;
    uint32_t al8[AL8_LENGTH];
};

// Reads it up to the rows of binds. False after a violation. To be given to
// execution_free() in any case.
bool execution_read(struct server *server, struct execution *e);
void execution_free(struct execution *e);

#endif
